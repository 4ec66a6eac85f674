import { openSession, type SessionOptions } from '../session/onnx-runtime.ts'
import { requireEqual } from '../session/probe-provider.ts'
import { type AttentionTrial, trialInputs, trialOutputs } from './attention-trial.ts'
import { toBatch } from './batch-feeds.ts'

/** Text lengths of the trial batches, in tokens. A GPU uses other kernels for longer texts. */
const triedLengths = {
  cpu: [
    [1, 4],
    [17, 90],
  ],
  cuda: [
    [1, 4],
    [40, 300],
  ],
} as const

/** Tolerance in single precision on a CPU, as a share of the largest number. */
const exactTolerance = 0.0005

const layout = { padding: 'right', padTokenId: 0, pooling: 'none' } as const

/**
 * Throws if the fused attention gives other results than the graph's own nodes: the mask may fail to hide padding, or
 * the device's kernel may be wrong.
 */
export function requireRightAttention(
  { content, dimensions, isSingle }: AttentionTrial,
  options: Omit<SessionOptions, 'modelPath'>,
): void {
  const session = openSession({ ...options, modelPath: content })
  try {
    const tolerance = options.provider === 'cpu' && isSingle ? exactTolerance : undefined
    const tokens: readonly string[] = trialInputs
    for (const lengths of triedLengths[options.provider]) {
      const columns = Math.max(...lengths)
      const shape = [lengths.length, columns, dimensions]
      const rows = lengths.map((length) => ({ ids: Int32Array.from({ length }, (_, at) => at), typeIds: undefined }))
      const known = session.inputs.filter(({ name }) => !tokens.includes(name))
      const given = trialInputs.map((name, at) => ({ name, type: 'float32' as const, shape, data: numbers(shape, at) }))
      const feeds = [...toBatch(rows, known, layout).feeds, ...given]
      const compute = (output: string) => session.run(feeds, output).data
      const [own, fused] = [compute(trialOutputs.own), compute(trialOutputs.fused)]
      for (const [row, length] of lengths.entries()) {
        const part = [row * columns * dimensions, (row * columns + length) * dimensions] as const
        requireEqual(fused.subarray(...part), own.subarray(...part), tolerance)
      }
    }
  } finally {
    session.close()
  }
}

/** Returns pseudo-random numbers from -2 to 2: a 32-bit linear congruential generator. */
function numbers(shape: readonly number[], seed: number): Float32Array {
  const values = new Float32Array(shape.reduce((product, each) => product * each, 1))
  let state = seed
  for (let at = 0; at < values.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    values[at] = state / 2 ** 30
  }
  return values
}
