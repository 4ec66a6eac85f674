import type { Values } from '../../../core/setting.ts'
import { defaultThreads, readCpuAllowance } from '../../../machine/cpu-allowance.ts'
import { cudaProvider } from '../../backends/cuda-provider.ts'
import type { EngineSetup } from '../../protocol/engine.ts'
import type { sharedSettings } from '../../shared/shared-settings.ts'
import type { StepClock } from '../../shared/step-clock.ts'
import { modelBytes } from './model-bytes.ts'
import { openLibrary, type SessionOptions } from './onnx-runtime.ts'
import { type SessionThread, startSessionThread } from './session-thread.ts'
import { shareThreads } from './share-threads.ts'

/** Sessions of the same model, at least one. */
export type Sessions<Reading, Result> = readonly [
  SessionThread<Reading, Result>,
  ...(readonly SessionThread<Reading, Result>[]),
]

export interface OpenedSessions<Reading, Result> {
  readonly sessions: Sessions<Reading, Result>
  readonly device: 'cuda' | 'cpu'
  /** CPU threads of each session. */
  readonly threadsPerSession: number
  /** ONNX Runtime's name of the provider that computes. */
  readonly provider: string
  /** Device and threads, in words for the operator. */
  readonly place: string
  /** Reason why the model runs on the CPU although a GPU could be expected. */
  readonly remark?: string | undefined
}

export interface OpenOptions<Wish = never>
  extends Omit<SessionOptions, 'provider' | 'threads' | 'modelPath' | 'isStrict' | 'weightsFolder'> {
  readonly modelPath: string
  /** Program of the thread: see `startSessionThread`. */
  readonly program: string
  /** Returns the wanted edit of the model, by provider and size of the graph's file in bytes. */
  readonly wishFor?: (provider: SessionOptions['provider'], graphBytes: number) => Wish | undefined
  /** Work for the calling thread while the session threads start. Called once. */
  readonly beside?: () => unknown
  readonly wanted: Values<Pick<typeof sharedSettings, 'device' | 'threads'>>
  /** Least number of CPU threads that compute one input together. */
  readonly threadsTogether: number
  readonly noGpuBecause?: string | undefined
  /** Writes a line for the operator. */
  readonly log: (line: string) => void
  readonly onDeath: (reason: string) => void
  /** Clock of the computation. */
  readonly clock?: StepClock
}

/**
 * Opens a model on the GPU if that is wanted and ONNX Runtime's CUDA provider loads. Otherwise opens it on the CPU, in
 * as many sessions as its threads are shared among, and logs the reason in one line. Rejects with ONNX Runtime's
 * error.
 */
export async function openSessions<Reading, Result, Wish = never>(
  options: OpenOptions<Wish>,
): Promise<OpenedSessions<Reading, Result>> {
  const { program, wishFor, beside, wanted, threadsTogether, noGpuBecause, log, onDeath, clock, ...model } = options
  let remark = noGpuBecause
  const { graphBytes, besideBytes } = modelBytes(model.modelPath)
  const shares = shareThreads(
    wanted.threads > 0 ? wanted.threads : defaultThreads(readCpuAllowance()),
    graphBytes + besideBytes,
    threadsTogether,
  )
  const threads = shares.threadsPerSession
  const start = (count: number) =>
    Array.from({ length: count }, () => startSessionThread<Reading, Result, Wish>(program, { onDeath, clock }))
  const openAll = async (started: ReturnType<typeof start>, provider: SessionOptions['provider']) => {
    try {
      if (provider === 'cuda') requireCuda(model.binding)
      const wish = wishFor?.(provider, graphBytes)
      const opening = started.map((thread) => thread.open({ ...model, threads, provider }, wish))
      openLibrary(model.binding)
      return (await Promise.all(opening)) as unknown as Sessions<Reading, Result> // at least one
    } catch (error) {
      for (const { close } of started) close()
      throw error
    }
  }
  const triesGpu = wanted.device === 'auto' || wanted.device === 'cuda'
  const first = start(triesGpu ? 1 : shares.sessions)
  beside?.()
  if (triesGpu) {
    try {
      const sessions = await openAll(first, 'cuda')
      return { sessions, device: 'cuda', threadsPerSession: threads, provider: 'CUDAExecutionProvider', place: 'cuda' }
    } catch (error) {
      remark = onCpuBecause(error instanceof Error ? error.message : error)
      log(remark)
    }
  }
  const sessions = await openAll(triesGpu ? start(shares.sessions) : first, 'cpu')
  const place = `${sessions.length} x ${threads} CPU threads`
  return { sessions, device: 'cpu', threadsPerSession: threads, provider: 'CPUExecutionProvider', place, remark }
}

function requireCuda(binding: string): void {
  const { path, isThere } = cudaProvider(binding)
  if (!isThere) throw new Error(`${path} is not there`)
}

/** Returns the placement's device, or the set one without a placement. `log` writes a line for the operator. */
export function placed(
  { settings, placement }: Pick<EngineSetup<never, OpenOptions['wanted']>, 'settings' | 'placement'>,
  log: OpenOptions['log'],
): Pick<OpenOptions, 'wanted' | 'deviceIndex' | 'noGpuBecause'> {
  const device = placement?.device === 'cpu' ? 'cpu' : settings.device
  const noGpuBecause = placement?.noGpuBecause === undefined ? undefined : onCpuBecause(placement.noGpuBecause)
  if (noGpuBecause !== undefined) log(noGpuBecause)
  return { wanted: { ...settings, device }, deviceIndex: Number(placement?.deviceIndex ?? 0), noGpuBecause }
}

/** Returns the line about running on the CPU. `reason` says why there is no GPU. */
function onCpuBecause(reason: unknown): string {
  return `runs on the CPU, ONNX Runtime's CUDA provider cannot be used: ${reason}`
}
