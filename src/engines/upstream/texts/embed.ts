/** Embeds texts at upstream servers. */
import type { JsonObject } from '../../../core/json.ts'
import type { EmbedRequest, Vectors } from '../../../core/texts.ts'
import { nothingConsumed } from '../../../core/usage.ts'
import { toVectors } from '../../shared/finish-vectors.ts'
import { malformedAnswer } from '../http/failure.ts'
import type { PrepareWork, WorkContext } from '../work/upstream-work.ts'
import { askInBatches } from './ask-in-batches.ts'
import { guessedTokens, sum, textTokensLimit } from './batches.ts'
import { readVectors } from './read-vectors.ts'
import { textAbilities } from './text-abilities.ts'

/** Most bytes of a vector: 8,192 numbers with all their digits. */
const vectorBytesLimit = 256 * 1024
const answerBytes = 64 * 1024

export const prepareEmbed: PrepareWork<'embed'> = (request, context) => {
  const { inputs } = request
  const limits = inputs.map((input) => tokensLimit(input, context))
  const most = { ...nothingConsumed, promptTokens: sum(limits) }
  const first = inputs[0]
  return {
    estimate: { least: { ...nothingConsumed, promptTokens: inputs.length }, most },
    prefix: typeof first === 'string' ? first : '',
    run: (link) => {
      const vectors: Float32Array[] = []
      return askInBatches(link, context, {
        ...{ path: '/embeddings', param: 'input', limits },
        batch: (begin, end) => {
          const texts = inputs.slice(begin, end)
          return {
            body: embedBody(texts, request, context),
            limitBytes: answerBytes + texts.length * vectorBytesLimit,
            guessedTokens: sum(texts.map(guessedTokens)),
          }
        },
        read: (answer, begin, end) => {
          const read = readVectors(answer, end - begin)
          vectors.push(...read.vectors)
          return read.promptTokens
        },
        outputs: () => [vectorsOf(vectors, request, context)],
      })
    },
  }
}

function embedBody(
  texts: EmbedRequest['inputs'],
  { inputType, truncate }: EmbedRequest,
  context: WorkContext,
): JsonObject {
  const { manifest, flavor, modelThere } = context
  const abilities = textAbilities[flavor]
  const { encoder } = manifest
  const prefixes = { query: encoder?.queryPrefix ?? '', document: encoder?.documentPrefix ?? '', none: '' }
  const prefix = prefixes[inputType ?? 'none']
  return {
    model: modelThere,
    input: texts.map((text) => (typeof text === 'string' ? prefix + text : text)),
    ...(abilities.writesBase64 && { encoding_format: 'base64' }),
    ...(abilities.takesInputType && encoder === undefined && inputType !== undefined && { input_type: inputType }),
    ...(truncate !== undefined && abilities.cut?.(truncate)),
  }
}

/** Returns the most tokens that a text can have at the server. */
function tokensLimit(input: string | readonly number[], { manifest, contextTokens }: WorkContext): number {
  const { encoder } = manifest
  const prefixes = [encoder?.queryPrefix ?? '', encoder?.documentPrefix ?? '']
  const own = typeof input === 'string' ? textTokensLimit(input) : input.length
  const all = own + Math.max(...prefixes.map(textTokensLimit))
  return Math.min(all, contextTokens)
}

/**
 * Returns the vectors in the requested form. Shortens them here, since some servers cannot and the result is the same.
 */
function vectorsOf(vectors: readonly Float32Array[], request: EmbedRequest, { manifest }: WorkContext): Vectors {
  const native = vectors[0]?.length ?? 0
  if (vectors.some(({ length }) => length !== native)) {
    throw malformedAnswer('vectors of different lengths')
  }
  if (manifest.dimensions !== undefined && manifest.dimensions !== native) {
    throw malformedAnswer(`vectors of ${native} numbers, and the manifest says ${manifest.dimensions}`)
  }
  return toVectors(request, vectors, manifest.encoder?.normalize ?? true)
}
