import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import type { ModelFile } from '../core/model.ts'
import type { LoadedManifest } from './join-manifests.ts'
import { FileError, statFile } from './stat-file.ts'

export interface LocatedFile {
  readonly role: string
  /** Absolute. */
  readonly path: string
  /** Carried by the program: it appears on the disk when the first engine starts. */
  readonly isCarried: boolean
}

export interface FilePlaces {
  readonly dataDir: string
  readonly shippedFile: (repositoryPath: string) => string | undefined
}

/** Where a model's files lie or would lie. Files without a path of their own go to `<data>/models/<org>/<name>/`. */
export function locateFiles({ file, isShipped, manifest }: LoadedManifest, places: FilePlaces): LocatedFile[] {
  return manifest.files.map((modelFile) => {
    const { role, path } = modelFile
    if (path === undefined) return { role, path: inModelFolder(manifest.id, modelFile, places), isCarried: false }
    if (isAbsolute(path)) return { role, path, isCarried: false }
    if (!isShipped) return { role, path: resolve(dirname(file), path), isCarried: false }
    const carried = places.shippedFile(join(dirname(file), path))
    if (carried === undefined) return { role, path: inModelFolder(manifest.id, modelFile, places), isCarried: false }
    return { role, path: carried, isCarried: true }
  })
}

/**
 * Changes when one of the files is written or replaced. Carried files do not count: they appear while their model is loaded,
 * and never change.
 */
export function filesVersion(files: readonly LocatedFile[]): string {
  const own = files.filter(({ isCarried }) => !isCarried)
  return own.map(({ path }) => versionOf(statFile(path))).join(' ')
}

function versionOf(found: ReturnType<typeof statFile>): string {
  return found === undefined || found instanceof FileError ? '-' : `${found.ino}:${found.size}:${found.mtimeMs}`
}

/** Folder of a model's own files. The id's form keeps it below `<data>/models`. */
export function modelFolder(dataDir: string, id: string): string {
  return join(dataDir, 'models', id)
}

function inModelFolder(id: string, { url, path, role }: ModelFile, { dataDir }: FilePlaces): string {
  return join(modelFolder(dataDir, id), basename(url ?? path ?? role))
}
