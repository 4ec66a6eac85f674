/** The program of a thread that segments windows or embeds voices. */
import { serveSession } from '../onnx/session/serve-session.ts'

/** Reading of a graph's output: the likeliest class of each row, in one byte, or the numbers themselves. */
export type Reading = 'classes' | 'numbers'

export interface ThreadResult {
  readonly shape: readonly number[]
  readonly values: Uint8Array<ArrayBuffer> | Float32Array<ArrayBuffer>
}

serveSession(
  ({ shape, data }, reading: Reading): ThreadResult => {
    if (reading === 'numbers') return { shape, values: data.slice() }
    return { shape, values: likeliest(data, shape.at(-1) ?? 1) }
  },
  () => undefined,
)

function likeliest(data: Float32Array, classCount: number): Uint8Array<ArrayBuffer> {
  const best = new Uint8Array(data.length / classCount)
  for (let row = 0; row < best.length; row++) {
    const start = row * classCount
    let bestClass = 0
    for (let index = 1; index < classCount; index++) {
      if ((data[start + index] ?? 0) > (data[start + bestClass] ?? 0)) bestClass = index
    }
    best[row] = bestClass
  }
  return best
}
