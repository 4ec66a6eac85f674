import type { Vectors } from '../../core/texts.ts'
import { requireFewInputs } from '../text-counts.ts'
import { type ComputedTexts, type TextsDialect, textsCollector } from '../texts-dialect.ts'
import { type NumberForm, toArrayJson, toBase64Json, toFormJson, toNumberType } from './number-types.ts'
import { EmbeddingsBody, type EmbeddingsCall, parseEmbeddings } from './parse-request.ts'

/** POST /embeddings. */
export const embeddingsDialect: TextsDialect<EmbeddingsCall> = {
  endpoint: 'embeddings',
  kind: 'embed',
  body: EmbeddingsBody,
  parse: parseEmbeddings,
  require: requireFewInputs,
  toCallersParam: ({ isSingle, dimensionsField }, param) => {
    if (param === 'dimensions') return dimensionsField
    return isSingle ? param.replace(/^input\[0\]/, 'input') : param
  },
  collector: textsCollector(toEmbeddings),
}

/** Yields the answer: a piece per vector and two more. */
export function* toEmbeddings(
  { model, numberType, encodingFormat }: EmbeddingsCall,
  { result, promptTokens }: ComputedTexts,
): Generator<string> {
  if (result.type !== 'vectors') throw new Error('texts became scores: this is a bug')
  const write = encodingFormat === 'base64' ? toBase64Json : toArrayJson
  yield '{"object":"list","data":['
  let index = 0
  for (const vector of vectorsOf(result)) {
    const numbers = write(toNumberType(vector, numberType))
    yield `${index === 0 ? '' : ','}{"object":"embedding","index":${index},"embedding":${numbers}}`
    index++
  }
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens }
  yield `],"model":${JSON.stringify(model)},"usage":${JSON.stringify(usage)}}`
}

/** Yields the vectors one by one. */
function* vectorsOf({ dimensions, values }: Vectors): Generator<Float32Array> {
  for (let at = 0; at < values.length; at += dimensions) yield values.subarray(at, at + dimensions)
}

/** Yields all vectors, at least one, as a JSON array: a piece per vector and one more. */
export function* vectorPieces(vectors: Vectors, form: NumberForm): Generator<string> {
  let separator = '['
  for (const vector of vectorsOf(vectors)) {
    yield separator + toFormJson(vector, form)
    separator = ','
  }
  yield ']'
}
