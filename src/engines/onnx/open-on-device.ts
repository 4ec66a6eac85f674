import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { EngineOptions } from '../protocol.ts'
import type { SessionOptions } from './onnx-runtime.ts'
import { openSessionThread, type SessionThread } from './session-thread.ts'
import type { ThreadShares } from './share-threads.ts'

export interface DeviceSessions {
  /** One or more of the same model. */
  readonly sessions: readonly [SessionThread, ...SessionThread[]]
  readonly device: 'cuda' | 'cpu'
  /** ONNX Runtime's name of what computes. */
  readonly provider: string
}

/** What ONNX Runtime loads for NVIDIA's GPUs, from beside its own library. */
const cudaLibrary = 'libonnxruntime_providers_cuda.so'

/**
 * Opens a model on the GPU where that is wanted and ONNX Runtime's CUDA provider loads, else on the CPU in as many sessions
 * as its threads are shared among, saying why in one line. Rejects with what ONNX Runtime says of the model.
 */
export async function openOnDevice(
  options: Omit<SessionOptions, 'provider' | 'threads'>,
  shares: ThreadShares,
  wanted: EngineOptions['device'],
  log: (line: string) => void,
  onDeath: (reason: string) => void,
): Promise<DeviceSessions> {
  const threads = shares.threadsPerSession
  if (wanted === 'auto' || wanted === 'cuda') {
    try {
      const library = join(dirname(options.binding), cudaLibrary)
      if (!existsSync(library)) throw new Error(`${library} is not there`)
      const session = await openSessionThread({ ...options, threads, provider: 'cuda' }, onDeath)
      return { sessions: [session], device: 'cuda', provider: 'CUDAExecutionProvider' }
    } catch (error) {
      log(
        `runs on the CPU, ONNX Runtime's CUDA provider did not load: ${error instanceof Error ? error.message : error}`,
      )
    }
  }
  const open = () => openSessionThread({ ...options, threads, provider: 'cpu' }, onDeath)
  const others = await Promise.all(Array.from({ length: shares.sessions - 1 }, open))
  return { sessions: [await open(), ...others], device: 'cpu', provider: 'CPUExecutionProvider' }
}
