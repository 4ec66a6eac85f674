/** The backends that llama.cpp can use here, by the libraries on this disk, the best first. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RuntimePaths } from '../protocol.ts'
import type { BackendCandidate, BackendName } from './backend.ts'

interface Row {
  readonly id: string
  readonly backend: BackendName
  readonly label: string
  /** Path below the folder of node-llama-cpp's packages. */
  readonly library?: string
}

const rows: readonly Row[] = [
  { id: 'cuda', backend: 'cuda', label: 'CUDA build', library: 'linux-x64-cuda/bins/linux-x64-cuda/libggml-cuda.so' },
  {
    id: 'cuda-12',
    backend: 'cuda',
    label: 'CUDA 12 build',
    library: 'linux-x64-cuda-ext/bins/linux-x64-cuda/fallback/libggml-cuda.so',
  },
  {
    id: 'vulkan',
    backend: 'vulkan',
    label: 'Vulkan',
    library: 'linux-x64-vulkan/bins/linux-x64-vulkan/libggml-vulkan.so',
  },
  { id: 'cpu', backend: 'cpu', label: 'CPU' },
]

/** Returns the folder that holds node-llama-cpp's packages of prebuilt libraries. */
function packagesFolder({ nodeLlamaCpp }: Pick<RuntimePaths, 'nodeLlamaCpp'>): string {
  return join(dirname(nodeLlamaCpp), '..', '@node-llama-cpp')
}

export function llamaCandidates(runtime: Pick<RuntimePaths, 'nodeLlamaCpp'>): readonly BackendCandidate[] {
  const folder = packagesFolder(runtime)
  return rows.flatMap(({ library, ...row }) => {
    if (library === undefined) return [{ ...row, kind: 'llama' as const }]
    const path = join(folder, library)
    return existsSync(path) ? [{ ...row, kind: 'llama' as const, library: path }] : []
  })
}
