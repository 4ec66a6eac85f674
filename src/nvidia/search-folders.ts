/** Folders that are searched for NVIDIA's libraries, the operator's choice first. */

import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { Glob } from 'bun'
import { namesIn } from '../core/names-in.ts'
import { ownLibraryFolder } from './own-folder.ts'

export interface SearchOptions {
  readonly dataDir: string
  /** Folder in the setting `nvidia-libraries`. */
  readonly named?: string | undefined
  /** Variables of the process. `LD_LIBRARY_PATH`, `VIRTUAL_ENV`, `CONDA_PREFIX` and `PATH` count. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Root of the file system. Another folder in tests, and for a mounted system. */
  readonly root?: string
  readonly home?: string
}

/** Kind of place of a folder, in words for operators. */
export type PlaceKind = 'setting' | 'data folder' | 'loader path' | 'toolkit' | 'system' | 'Python'

interface SearchFolder {
  readonly place: PlaceKind
  readonly folder: string
}

const systemFolders = [
  '/usr/lib/x86_64-linux-gnu',
  '/lib/x86_64-linux-gnu',
  '/usr/lib64',
  '/lib64',
  '/usr/lib',
  '/usr/local/lib',
  '/usr/local/nvidia/lib64',
]
const pythonRoots = ['/opt/conda', '/opt/venv', '/venv', '/usr', '/usr/local']
const homePythonRoots = ['.local', '.venv', 'venv', 'miniconda3', 'anaconda3', 'miniforge3', 'mambaforge']

/** Returns the folders in order of precedence, without duplicates. They need not exist. */
export function searchFolders(options: SearchOptions): SearchFolder[] {
  const { dataDir, named, environment, root = '/', home = homedir() } = options
  const inRoot = (path: string) => join(root, path)
  const listed: readonly (readonly [PlaceKind, readonly string[]])[] = [
    ['setting', named === undefined ? [] : [named, join(named, 'lib64'), join(named, 'lib')]],
    ['data folder', [ownLibraryFolder(dataDir)]],
    ['loader path', (environment.LD_LIBRARY_PATH ?? '').split(':').filter(isAbsolute)],
    ['toolkit', toolkitFolders(root)],
    ['system', [...loaderFolders(root), ...systemFolders.map(inRoot)]],
    ['Python', pythonFolders({ root, home, environment })],
  ]
  const seen = new Set<string>()
  return listed.flatMap(([place, folders]) =>
    folders.flatMap((folder) => {
      if (seen.has(folder)) return []
      seen.add(folder)
      return [{ place, folder }]
    }),
  )
}

/** Returns the folders of CUDA toolkits: the operator's choice `/usr/local/cuda`, then the newest first. */
function toolkitFolders(root: string): string[] {
  const parent = join(root, 'usr/local')
  const versions = namesIn(parent)
    .filter((name) => /^cuda(-\d+(\.\d+)*)?$/.test(name))
    .sort((one, other) =>
      one === 'cuda' ? -1 : other === 'cuda' ? 1 : other.localeCompare(one, 'en', { numeric: true }),
    )
  return versions.flatMap((name) => [join(parent, name, 'lib64'), join(parent, name, 'targets/x86_64-linux/lib')])
}

/** Returns the folders of `/etc/ld.so.conf`, from which `ldconfig` makes the loader's cache. */
function loaderFolders(root: string): string[] {
  const read = (file: string, depth: number): string[] =>
    linesOf(file).flatMap((line) => {
      const [word, ...patterns] = line.split(/\s+/)
      if (word !== 'include') return isAbsolute(line) ? [join(root, line)] : []
      if (depth === 0) return []
      return patterns.flatMap((pattern) => {
        const absolute = isAbsolute(pattern) ? join(root, pattern) : join(dirname(file), pattern)
        return matches(absolute).flatMap((included) => read(included, depth - 1))
      })
    })
  return read(join(root, 'etc/ld.so.conf'), 4)
}

function pythonFolders({ root, home, environment }: Required<Pick<SearchOptions, 'root' | 'home' | 'environment'>>) {
  const named = [environment.VIRTUAL_ENV, environment.CONDA_PREFIX].flatMap((path) => (path ? [path] : []))
  const roots = [
    ...named,
    ...ownersOfPython(environment.PATH),
    ...homePythonRoots.map((name) => join(home, name)),
    ...pythonRoots.map((path) => join(root, path)),
  ]
  return roots.flatMap((prefix) => [
    ...namesIn(join(prefix, 'lib'))
      .filter((name) => name.startsWith('python3'))
      .flatMap((name) =>
        ['site-packages', 'dist-packages'].flatMap((kind) => wheelFolders(join(prefix, 'lib', name, kind))),
      ),
    // Conda's own packages of CUDA are in `lib`, beside Python's folder.
    ...(named.includes(prefix) ? [join(prefix, 'lib')] : []),
  ])
}

/**
 * Returns the folder of the environment whose `python3` a shell starts. Does not follow links: an environment's
 * `python3` may be a link to another place, without its packages.
 */
function ownersOfPython(path = ''): string[] {
  const folder = path.split(':').find((each) => isAbsolute(each) && existsSync(join(each, 'python3')))
  return folder === undefined ? [] : [dirname(folder)]
}

/** Returns the folders `nvidia/cu13/lib`, `nvidia/cudnn/lib` and so on. */
function wheelFolders(packages: string): string[] {
  const parent = join(packages, 'nvidia')
  return namesIn(parent).map((name) => join(parent, name, 'lib'))
}

function matches(pattern: string): string[] {
  const folder = dirname(pattern)
  const names = new Glob(pattern.slice(folder.length + 1))
  return namesIn(folder)
    .filter((name) => names.match(name))
    .sort()
    .map((name) => join(folder, name))
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.replace(/#.*/, '').trim())
      .filter((line) => line !== '')
  } catch {
    return []
  }
}
