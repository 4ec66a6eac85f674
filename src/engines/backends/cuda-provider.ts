import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Returns the library that ONNX Runtime loads for NVIDIA's GPUs, from beside its own. `binding`: absolute path of its binding. */
export function cudaProvider(binding: string): { readonly path: string; readonly isThere: boolean } {
  const path = join(dirname(binding), 'libonnxruntime_providers_cuda.so')
  return { path, isThere: existsSync(path) }
}
