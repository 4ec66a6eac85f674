import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What ONNX Runtime loads for NVIDIA's GPUs, from beside its own library. `binding`: its absolute path. */
export function cudaProvider(binding: string): { readonly path: string; readonly isThere: boolean } {
  const path = join(dirname(binding), 'libonnxruntime_providers_cuda.so')
  return { path, isThere: existsSync(path) }
}
