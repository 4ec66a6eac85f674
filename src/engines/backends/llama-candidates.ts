/** The backends that llama.cpp can use here, by the libraries on this disk, the best first. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BackendCandidate, BackendName, RuntimePaths } from '../protocol/backend.ts'

interface Row {
  readonly id: string
  readonly backend: BackendName
  readonly label: string
  /** Path below the folder of node-llama-cpp's packages, for a processor as `process.arch` names it. */
  readonly library?: (arch: string) => string
}

const rows: readonly Row[] = [
  {
    id: 'cuda',
    backend: 'cuda',
    label: 'CUDA build',
    library: (arch) => `linux-${arch}-cuda/bins/linux-${arch}-cuda/libggml-cuda.so`,
  },
  {
    id: 'cuda-12',
    backend: 'cuda',
    label: 'CUDA 12 build',
    library: (arch) => `linux-${arch}-cuda-ext/bins/linux-${arch}-cuda/fallback/libggml-cuda.so`,
  },
  {
    id: 'vulkan',
    backend: 'vulkan',
    label: 'Vulkan',
    library: (arch) => `linux-${arch}-vulkan/bins/linux-${arch}-vulkan/libggml-vulkan.so`,
  },
  { id: 'cpu', backend: 'cpu', label: 'CPU' },
]

/** Returns the folder that holds node-llama-cpp's packages of prebuilt libraries. */
function packagesFolder({ nodeLlamaCpp }: Pick<RuntimePaths, 'nodeLlamaCpp'>): string {
  return join(dirname(nodeLlamaCpp), '..', '@node-llama-cpp')
}

export function llamaCandidates(
  runtime: Pick<RuntimePaths, 'nodeLlamaCpp'>,
  arch: string = process.arch,
): readonly BackendCandidate[] {
  const folder = packagesFolder(runtime)
  return rows.flatMap(({ library, ...row }) => {
    if (library === undefined) return [{ ...row, kind: 'llama' as const }]
    const path = join(folder, library(arch))
    return existsSync(path) ? [{ ...row, kind: 'llama' as const, library: path }] : []
  })
}
