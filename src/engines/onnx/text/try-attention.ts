import { openSession, type SessionOptions } from '../session/onnx-runtime.ts'
import { requireEqual } from '../session/probe-provider.ts'
import { type AttentionTrial, trialInputs, trialOutputs } from './attention-trial.ts'
import { toBatch } from './batch-feeds.ts'

/** Lengths of the texts that attention is tried with, in tokens, one batch after the other. A GPU takes other kernels for longer ones. */
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

/** Part of the largest number that may differ where a CPU computes in single precision. */
const exactTolerance = 0.0005

const layout = { padding: 'right', padTokenId: 0, pooling: 'none' } as const

/**
 * Throws where the fused attention gives the tokens of some texts something else than the graph's own nodes: a mask may not hide
 * padding, or a kernel of the device may not be what it should be.
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

/** Numbers from -2 to 2 that look like random ones: a linear congruence of 32 bits. */
function numbers(shape: readonly number[], seed: number): Float32Array {
  const values = new Float32Array(shape.reduce((product, each) => product * each, 1))
  let state = seed
  for (let at = 0; at < values.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    values[at] = state / 2 ** 30
  }
  return values
}
