/**
 * Probes whether ONNX Runtime's CUDA provider computes: runs a small graph on each device and compares with the CPU.
 */
import { type OnnxSession, openSession } from './onnx-runtime.ts'
import type { ProbeGraph } from './probe-graphs.ts'

/**
 * Tolerance as a share of the largest number. Kernels may use 10 bits of mantissa (TF32), whose error is about half of
 * this.
 */
const usualTolerance = 0.02
/** Upper limit of devices to try, above that of any machine. */
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
 * Returns the number of devices, from the first on, whose results equal the CPU's. Throws ONNX Runtime's error, or the
 * wrong result, if the first device fails. Blocks, and native code may end the process, so it needs a separate child.
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
  // Opened first: ONNX Runtime prints a missing library only if the process's first session is on a GPU.
  const computed = compute(open(provider, deviceIndex ?? 0))
  const wanted = compute(open('cpu', 0))
  requireEqual(computed, wanted)
  if (provider === 'cpu' || deviceIndex !== undefined) return 1
  for (let index = 1; index < devicesLimit; index++) {
    try {
      requireEqual(compute(open(provider, index)), wanted)
    } catch {
      return index // the previous device was the last that computes
    }
  }
  return devicesLimit
}

/** Returns numbers from -1 to 1 without a short period. */
function numbers({ shape }: ProbeGraph, seed: number): Float32Array {
  const length = shape.reduce((product, each) => product * each, 1)
  return Float32Array.from({ length }, (_, at) => Math.sin((at + 1) * seed * 0.7))
}

/** Throws if a number differs from the wanted one by more than a share of the largest number. */
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
