/** Tells whether ONNX Runtime's CUDA provider computes: runs a small graph on each device and compares with the CPU. */
import { type OnnxSession, openSession } from './onnx-runtime.ts'
import type { ProbeGraph } from './probe-graphs.ts'

/**
 * Tolerance as a share of the largest number. Kernels may compute products in 10 bits of mantissa (TF32), which gives
 * an error of half a hundredth.
 */
const usualTolerance = 0.02
/** More devices than any box has. */
const devicesLimit = 64

interface ProviderProbe {
  /** Absolute path of the binding; the provider lies beside it. */
  readonly binding: string
  readonly provider: 'cuda' | 'cpu'
  readonly graph: ProbeGraph
  /** Index of the only device to probe. Absent probes all. */
  readonly deviceIndex?: number | undefined
}

/**
 * Returns how many devices computed what the CPU computes, from the first on. Throws with ONNX Runtime's words, or what was
 * computed wrong, where the first device does not. Blocks, and native code may end the process: for a child of its own.
 */
export function probeProvider({ binding, provider, graph, deviceIndex }: ProviderProbe): number {
  const feeds = ['a', 'b'].map(
    (name, at) => ({ name, type: 'float32', shape: graph.shape, data: numbers(graph, at + 1) }) as const,
  )
  const compute = (session: OnnxSession) => session.run(feeds, 'y').data
  const open = (on: 'cuda' | 'cpu', deviceIndex: number) =>
    openSession({
      ...{ binding, deviceIndex, provider: on, modelPath: graph.content, threads: 1, optimization: 'all' },
      isStrict: on !== 'cpu',
    })
  // Opened first: ONNX Runtime writes which library is missing where the process's first session is on a GPU.
  const computed = compute(open(provider, deviceIndex ?? 0))
  const wanted = compute(open('cpu', 0))
  requireEqual(computed, wanted)
  if (provider === 'cpu' || deviceIndex !== undefined) return 1
  for (let index = 1; index < devicesLimit; index++) {
    try {
      requireEqual(compute(open(provider, index)), wanted)
    } catch {
      return index // the one before was the last that computes
    }
  }
  return devicesLimit
}

/** Numbers from -1 to 1 that repeat with no short period. */
function numbers({ shape }: ProbeGraph, seed: number): Float32Array {
  const length = shape.reduce((product, each) => product * each, 1)
  return Float32Array.from({ length }, (_, at) => Math.sin((at + 1) * seed * 0.7))
}

/** Throws where a number differs from the wanted one by more than a part of the largest. */
export function requireEqual(computed: ArrayLike<number>, wanted: ArrayLike<number>, tolerance = usualTolerance): void {
  if (computed.length !== wanted.length)
    throw new Error(`it computed ${computed.length} numbers instead of ${wanted.length}`)
  let largest = 0
  for (let at = 0; at < wanted.length; at++) largest = Math.max(largest, Math.abs(wanted[at] ?? 0))
  for (let at = 0; at < wanted.length; at++) {
    const [one = Number.NaN, other = Number.NaN] = [computed[at], wanted[at]]
    if (!(Math.abs(one - other) <= tolerance * largest))
      throw new Error(`it computed wrong numbers: ${one} where the CPU has ${other}`)
  }
}
