import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Returns the CUDA provider's library, which lies beside ONNX Runtime's binding. `binding`: absolute path. */
export function cudaProvider(binding: string): { readonly path: string; readonly isThere: boolean } {
  const path = join(dirname(binding), 'libonnxruntime_providers_cuda.so')
  return { path, isThere: existsSync(path) }
}
