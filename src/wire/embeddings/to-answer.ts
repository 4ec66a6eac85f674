import type { ComputedTexts } from '../texts-dialect.ts'
import type { EmbeddingsCall } from './parse-request.ts'

/**
 * The answer, in as many pieces as there are vectors and two more. Numbers are written so that the same float32 is read
 * again; in base64 they are little-endian, as every machine that this program runs on has them.
 */
export function* toEmbeddings(
  { model, encodingFormat }: EmbeddingsCall,
  { result, promptTokens }: ComputedTexts,
): Generator<string> {
  if (result.type !== 'vectors') throw new Error('texts became scores: this is a bug')
  const write = encodingFormat === 'base64' ? toBase64 : toNumbers
  const { dimensions } = result
  const count = result.values.length / dimensions
  yield '{"object":"list","data":['
  for (let index = 0; index < count; index++) {
    const vector = result.values.subarray(index * dimensions, (index + 1) * dimensions)
    yield `${index === 0 ? '' : ','}{"object":"embedding","index":${index},"embedding":${write(vector)}}`
  }
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens }
  yield `],"model":${JSON.stringify(model)},"usage":${JSON.stringify(usage)}}`
}

function toNumbers(vector: Float32Array): string {
  return `[${vector.join(',')}]`
}

function toBase64(vector: Float32Array): string {
  // The other form has no -0: the two must not differ.
  const values = vector.map((value) => value + 0)
  return `"${Buffer.from(values.buffer).toString('base64')}"`
}
