/** Scores documents at upstream servers. */
import { ApiError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { RerankRequest } from '../../../core/texts.ts'
import { nothingConsumed } from '../../../core/usage.ts'
import type { PrepareWork, WorkContext } from '../work/upstream-work.ts'
import { askInBatches } from './ask-in-batches.ts'
import { guessedTokens, sum, textTokensLimit } from './batches.ts'
import { readScores } from './read-scores.ts'
import { textAbilities } from './text-abilities.ts'

/** Size limit besides the documents, which some servers send back. */
const answerBytes = 64 * 1024
const bytesOfCharacter = 6

export const prepareRerank: PrepareWork<'rerank'> = (request, context) => {
  requireKnown(request, context)
  const { query, documents } = request
  const limits = documents.map((document) => pairTokensLimit(document, request, context))
  return {
    estimate: {
      least: { ...nothingConsumed, promptTokens: documents.length },
      most: { ...nothingConsumed, promptTokens: sum(limits) },
    },
    prefix: query,
    run: (link) => {
      const scores = new Float32Array(documents.length)
      return askInBatches(link, context, {
        ...{ path: '/rerank', param: 'documents', limits },
        batch: (begin, end) => {
          const batch = documents.slice(begin, end)
          const characters = sum(batch.map(({ length }) => length))
          return {
            body: rerankBody(batch, request, context),
            limitBytes: answerBytes + batch.length * 1024 + characters * bytesOfCharacter,
            guessedTokens: sum(batch.map((document) => guessedTokens(query) + guessedTokens(document))),
          }
        },
        read: (answer, begin, end) => {
          const read = readScores(answer, end - begin)
          scores.set(read.scores, begin)
          return read.promptTokens
        },
        outputs: () => [{ type: 'scores' as const, values: scores }],
      })
    },
  }
}

function rerankBody(
  documents: readonly string[],
  request: RerankRequest,
  { flavor, modelThere }: WorkContext,
): JsonObject {
  const { query, documentTokens, refuseLong } = request
  const abilities = textAbilities[flavor]
  return {
    model: modelThere,
    query,
    documents,
    ...(refuseLong === true ? abilities.refuseLongDocuments : abilities.cutDocuments),
    ...(abilities.documentTokens !== undefined &&
      documentTokens !== undefined && { [abilities.documentTokens]: documentTokens }),
  }
}

/**
 * Throws if the request limits document tokens and the server cannot: reading more than the caller wants would cost
 * more.
 */
function requireKnown({ documentTokens }: RerankRequest, { manifest, flavor }: WorkContext): void {
  if (documentTokens === undefined || textAbilities[flavor].documentTokens !== undefined) return
  const message = `The server of model '${manifest.id}' cannot cut documents at a number of tokens. Leave it out, or send shorter ones.`
  throw new ApiError('invalid_request', message, { code: 'unsupported_parameter', param: 'max_tokens_per_doc' })
}

/** Returns the most tokens of a document and the query at the server. */
function pairTokensLimit(
  document: string,
  { query, documentTokens }: RerankRequest,
  { contextTokens }: WorkContext,
): number {
  // Templates of rerankers that are asked in words have some 100 tokens.
  const around = textTokensLimit(query) + 128
  const all = around + Math.min(textTokensLimit(document), documentTokens ?? Number.POSITIVE_INFINITY)
  return Math.min(all, contextTokens)
}
