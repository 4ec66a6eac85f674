import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { ModelFile, ModelManifest } from '../core/model.ts'
import type { LoadedManifest } from './join-manifests.ts'
import { FileError, statFile } from './stat-file.ts'

export interface LocatedFile {
  readonly role: string
  /** Absolute. */
  readonly path: string
  /** True for a folder, which is unpacked from a fetched archive. */
  readonly isFolder: boolean
  /** True for a file inside the program, which is unpacked when the first engine starts. */
  readonly isCarried: boolean
  /** True if only loads on a GPU use the file. */
  readonly isForGpu: boolean
}

interface FilePlaces {
  readonly dataDir: string
  readonly shippedFile: (repositoryPath: string) => string | undefined
}

/**
 * Returns where a model's files lie or would lie, those for a GPU last. Files without a path of their own go to
 * `<data>/models/<org>/<name>/`.
 */
export function locateFiles({ file, isShipped, manifest }: LoadedManifest, places: FilePlaces): LocatedFile[] {
  return allFiles(manifest).map(({ role, name, path, unpack = false }, index) => {
    const common = { role, isFolder: unpack, isCarried: false, isForGpu: index >= manifest.files.length }
    const inFolder = { ...common, path: join(modelFolder(places.dataDir, manifest.id), name) }
    if (path === undefined) return inFolder
    if (isAbsolute(path)) return { ...common, path }
    if (!isShipped) return { ...common, path: resolve(dirname(file), path) }
    const carried = places.shippedFile(join(dirname(file), path))
    return carried === undefined ? inFolder : { ...common, path: carried, isCarried: true }
  })
}

/** Returns every file that a manifest names, those for a GPU last. */
export function allFiles({ files, gpuFiles = [] }: Pick<ModelManifest, 'files' | 'gpuFiles'>): readonly ModelFile[] {
  return [...files, ...gpuFiles]
}

/**
 * Returns a text that changes when one of the files is written or replaced. Carried files are left out: they appear
 * while their model loads, and never change.
 */
export function filesVersion(files: readonly LocatedFile[]): string {
  const own = files.filter(({ isCarried }) => !isCarried)
  return own.map(({ path }) => versionOf(statFile(path))).join(' ')
}

function versionOf(found: ReturnType<typeof statFile>): string {
  return found === undefined || found instanceof FileError ? '-' : `${found.ino}:${found.size}:${found.mtimeMs}`
}

/** Returns the folder of a model's own files. The id's form keeps it below `<data>/models`. */
export function modelFolder(dataDir: string, id: string): string {
  return join(dataDir, 'models', id)
}
