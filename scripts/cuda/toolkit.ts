import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from '../native/tools.ts'

export interface CudaToolkit {
  /** Folder with `bin/nvcc`. */
  readonly folder: string
  readonly nvcc: string
  /** Such as `13.0`. */
  readonly version: string
  /** Architectures that it makes machine code for, such as `90` and `120a`. */
  readonly architectures: readonly string[]
}

/** Toolkit whose PTX loads on every driver, from 580 on, on which its machine code loads. */
export const wantedToolkit = '13.0'
/** Oldest usable toolkit. Older ones do not compress code well, and know no Blackwell card. */
const oldestToolkit = '12.8'

/**
 * Returns the toolkit of `CUDA_HOME`, else the installed one of the wanted version, else that of the PATH; undefined if
 * there is none.
 */
export async function findToolkit(environment = process.env): Promise<CudaToolkit | undefined> {
  const folders = [
    environment.CUDA_HOME,
    `/usr/local/cuda-${wantedToolkit}`,
    folderOf(Bun.which('nvcc', { PATH: environment.PATH ?? '' })),
    '/usr/local/cuda',
    ...installedFolders(),
  ]
  const folder = folders.find((each) => each !== undefined && existsSync(join(each, 'bin', 'nvcc')))
  if (folder === undefined) return undefined
  const nvcc = join(folder, 'bin', 'nvcc')
  const version = /release (\d+\.\d+)/.exec(await run([nvcc, '--version'], folder))?.[1] ?? 'unknown'
  if (!isAtLeast(version, oldestToolkit)) {
    throw new Error(
      `CUDA toolkit ${version} in ${folder} is too old: install ${wantedToolkit}; ${oldestToolkit} and newer work`,
    )
  }
  const listed = await run([nvcc, '--list-gpu-code'], folder)
  return { folder, nvcc, version, architectures: [...listed.matchAll(/sm_(\w+)/g)].map(([, name = '']) => name) }
}

/** Returns the toolkit's own library of this file name, if it has one. */
export function toolkitLibrary({ folder }: CudaToolkit, name: string): string | undefined {
  return ['lib64', 'lib', 'targets/x86_64-linux/lib']
    .map((path) => join(folder, path, name))
    .find((path) => existsSync(path))
}

export function hasCublasHeader({ folder }: CudaToolkit): boolean {
  return ['include', 'targets/x86_64-linux/include'].some((path) => existsSync(join(folder, path, 'cublas_v2.h')))
}

function installedFolders(): string[] {
  const parent = '/usr/local'
  if (!existsSync(parent)) return []
  const names = readdirSync(parent).filter((name) => name.startsWith('cuda-'))
  return names
    .sort((first, second) => second.localeCompare(first, 'en', { numeric: true }))
    .map((name) => join(parent, name))
}

/** Returns the folder of nvcc, following links such as `/usr/local/bin/nvcc`. */
function folderOf(nvcc: string | null): string | undefined {
  return nvcc === null ? undefined : dirname(dirname(realpathSync(nvcc)))
}

/** Returns the name under which a toolkit lists an architecture. Suffixes for special features are not listed. */
export function toolkitName(architecture: string): string {
  return architecture.replace(/[a-z]$/, '')
}

function isAtLeast(version: string, oldest: string): boolean {
  return version.localeCompare(oldest, 'en', { numeric: true }) >= 0
}
