import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readPullNote } from '../../catalog/pull-note.ts'
import { modelFolders } from '../model-folders.ts'
import { freedBytes, kindOf } from './disk-usage.ts'
import { type FolderFile, folderFiles } from './folder-files.ts'

export interface Garbage {
  /** Below `<data>/models`. */
  readonly path: string
  readonly reason: string
  readonly bytes: number
  readonly files: readonly FolderFile[]
}

const dayMs = 24 * 60 * 60 * 1000
/** A pull that was stopped may go on as long as its source has the same file. */
const keptPartMs = 30 * dayMs
/** Folders in which files are put together: longer than any import takes. */
const keptStagingMs = dayMs

/**
 * What nothing needs: parts of downloads that stopped long ago, folders that a killed command left, files that no lock lists.
 * `used`: absolute paths that the catalog names, which are kept whatever locks say.
 */
export function findGarbage(dataDir: string, used: ReadonlySet<string>, nowMs: number): Garbage[] {
  const found: Garbage[] = []
  const add = (path: string, reason: string, files: readonly FolderFile[]) =>
    found.push({ path, reason, bytes: freedBytes(files), files })
  for (const folder of modelFolders(dataDir)) {
    if (readPullNote(folder.folder) !== undefined) continue
    for (const file of folderFiles(folder.folder)) {
      const path = `${folder.modelId}/${file.name}`
      const ageMs = nowMs - file.found.mtimeMs
      const kind = kindOf(file, folder)
      if (used.has(file.path)) continue
      if (kind === 'part' && ageMs > keptPartMs) add(path, 'a download that stopped more than 30 days ago', [file])
      if (kind === 'unlisted') add(path, 'no lock lists it', [file])
    }
  }
  for (const { path, name } of stagingFolders(dataDir)) {
    const ageMs = nowMs - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs)
    if (ageMs > keptStagingMs) add(name, 'left by a command that was killed', folderFiles(path))
  }
  return found
}

export function removeGarbage(dataDir: string, garbage: readonly Garbage[]): void {
  for (const { path } of garbage) rmSync(join(dataDir, 'models', path), { recursive: true, force: true })
}

/** Of imports and removals: beside the models' folders, with a name that no model has. */
function stagingFolders(dataDir: string): { readonly path: string; readonly name: string }[] {
  const models = join(dataDir, 'models')
  return namesIn(models).flatMap((organisation) =>
    namesIn(join(models, organisation))
      .filter((name) => /^\..+\.(importing|unpacking|removing)-/.test(name))
      .map((name) => ({ path: join(models, organisation, name), name: `${organisation}/${name}` })),
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
