import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { EngineOptions } from '../protocol.ts'
import type { SessionOptions } from './onnx-runtime.ts'
import { openSessionThread, type SessionThread } from './session-thread.ts'

export interface DeviceSession {
  readonly session: SessionThread
  readonly device: 'cuda' | 'cpu'
  /** ONNX Runtime's name of what computes. */
  readonly provider: string
}

/** What ONNX Runtime loads for NVIDIA's GPUs, from beside its own library. */
const cudaLibrary = 'libonnxruntime_providers_cuda.so'

/**
 * Opens a model on the GPU where that is wanted and ONNX Runtime's CUDA provider loads, else on the CPU, saying why in
 * one line. Rejects with what ONNX Runtime says of the model.
 */
export async function openOnDevice(
  options: Omit<SessionOptions, 'provider'>,
  wanted: EngineOptions['device'],
  log: (line: string) => void,
  onDeath: (reason: string) => void,
): Promise<DeviceSession> {
  if (wanted === 'auto' || wanted === 'cuda') {
    try {
      const library = join(dirname(options.binding), cudaLibrary)
      if (!existsSync(library)) throw new Error(`${library} is not there`)
      const session = await openSessionThread({ ...options, provider: 'cuda' }, onDeath)
      return { session, device: 'cuda', provider: 'CUDAExecutionProvider' }
    } catch (error) {
      log(
        `runs on the CPU, ONNX Runtime's CUDA provider did not load: ${error instanceof Error ? error.message : error}`,
      )
    }
  }
  const session = await openSessionThread({ ...options, provider: 'cpu' }, onDeath)
  return { session, device: 'cpu', provider: 'CPUExecutionProvider' }
}
