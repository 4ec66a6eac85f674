import type { Vectors } from '../../core/texts.ts'
import type { AnswerContext } from '../dialect.ts'
import { vectorPieces } from '../embeddings/dialect.ts'
import type { ComputedTexts } from '../texts-dialect.ts'
import type { CohereEmbedCall } from './parse-embed.ts'

type NewId = Pick<AnswerContext, 'newId'>

/** Returns the answer of the second version: vectors by type, float32 if no type is requested. */
export function toCohereEmbed(call: CohereEmbedCall, computed: ComputedTexts, context: NewId): Iterable<string> {
  return byType(call, computed, context, '2')
}

/** Yields the answer of the first version: vectors by type if types are requested, else a plain array of them. */
export function* toCohereEmbedV1(call: CohereEmbedCall, computed: ComputedTexts, context: NewId): Generator<string> {
  if (call.forms !== undefined) return yield* byType(call, computed, context, '1')
  yield `{"id":"${context.newId('embed_')}","response_type":"embeddings_floats","embeddings":`
  yield* vectorPieces(vectorsIn(computed), 'float')
  yield* ending(call, computed, '1')
}

function* byType(call: CohereEmbedCall, computed: ComputedTexts, { newId }: NewId, version: string): Generator<string> {
  yield `{"id":"${newId('embed_')}","response_type":"embeddings_by_type","embeddings":{`
  for (const [index, form] of (call.forms ?? (['float'] as const)).entries()) {
    yield `${index === 0 ? '' : ','}"${form}":`
    yield* vectorPieces(vectorsIn(computed), form)
  }
  yield '}'
  yield* ending(call, computed, version)
}

function vectorsIn({ result }: ComputedTexts): Vectors {
  if (result.type !== 'vectors') throw new Error('texts became scores: this is a bug')
  return result
}

function* ending({ texts }: CohereEmbedCall, { promptTokens }: ComputedTexts, version: string): Generator<string> {
  let separator = ',"texts":['
  for (const text of texts) {
    yield separator + JSON.stringify(text)
    separator = ','
  }
  const meta = { api_version: { version }, billed_units: { input_tokens: promptTokens } }
  yield `],"meta":${JSON.stringify(meta)}}`
}
