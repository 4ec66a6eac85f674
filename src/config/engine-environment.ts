import { cudaCacheFolder } from '../nvidia/own-folder.ts'
import type { Config } from './config.ts'

/** Limit in bytes of the compiled kernels that NVIDIA's driver keeps. ggml's for one card take about 100 MB. */
const cudaCacheBytes = 1024 ** 3

/**
 * Returns the variables of engines: those passed on, and the folder where NVIDIA's driver keeps the kernels that it
 * compiles.
 */
export function engineEnvironment({ data, engineEnvironment: passedOn }: Config): Config['engineEnvironment'] {
  return {
    CUDA_CACHE_PATH: cudaCacheFolder(data),
    CUDA_CACHE_MAXSIZE: String(cudaCacheBytes),
    ...passedOn,
  }
}
