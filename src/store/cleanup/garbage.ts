import { rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readPullNote } from '../../catalog/pull-note.ts'
import { dayMs } from '../../core/durations.ts'
import { namesIn } from '../../core/names-in.ts'
import { modelFolders } from '../model-folders.ts'
import { isInUse, isStagingName, removeIfEmpty } from '../staging-folder.ts'
import { freedBytes, kindOf } from './disk-usage.ts'
import { type FolderFile, folderFiles } from './folder-files.ts'

export interface Garbage {
  /** Path below `<data>/models`. */
  readonly path: string
  readonly reason: string
  readonly bytes: number
  readonly files: readonly FolderFile[]
}

/**
 * Age at which the partial file of a stopped pull is removed. Until then the pull can resume if its source still has
 * the same file.
 */
const keptPartMs = 30 * dayMs
/**
 * Age at which an unknown model is removed. Manifests are written last, and no import or installation takes this long.
 */
const keptUnknownMs = dayMs

/** Models of the catalog. */
export interface KnownModels {
  /** Undefined if a manifest cannot be read: then the owners of files are unknown. */
  readonly ids: ReadonlySet<string> | undefined
  /** Absolute paths of files and folders. They are kept even if no lock lists them. */
  readonly paths: ReadonlySet<string>
}

/**
 * Returns unneeded files: parts of downloads that stopped long ago, leftovers of killed commands, and unlisted files
 * and models.
 */
export function findGarbage(dataDir: string, known: KnownModels, nowMs: number): Garbage[] {
  const found: Garbage[] = []
  const used = [...known.paths]
  const add = (path: string, reason: string, files: readonly FolderFile[]) =>
    found.push({ path, reason, bytes: freedBytes(files), files })
  for (const folder of modelFolders(dataDir)) {
    if (readPullNote(folder.folder) !== undefined) continue
    const all = folderFiles(folder.folder)
    const unused = all.filter(({ path }) => !used.some((each) => path === each || path.startsWith(`${each}/`)))
    const files = unused.map((file) => ({ ...file, kind: kindOf(file, folder), ageMs: nowMs - file.found.mtimeMs }))
    const isUnknown =
      known.ids?.has(folder.modelId) === false &&
      unused.length === all.length &&
      !files.some(({ kind }) => kind === 'part')
    if (isUnknown && nowMs - statSync(folder.folder).mtimeMs > keptUnknownMs) {
      add(folder.modelId, 'no manifest describes it', files)
      continue
    }
    for (const file of files) {
      const path = `${folder.modelId}/${file.name}`
      if (file.kind === 'part' && file.ageMs > keptPartMs)
        add(path, 'a download that stopped more than 30 days ago', [file])
      if (file.kind === 'unlisted') add(path, 'no lock lists it', [file])
    }
  }
  for (const { path, name } of stagingFolders(dataDir)) {
    if (!isInUse(path)) add(name, 'left by a command that was killed', folderFiles(path))
  }
  return found
}

/** Removes garbage, with folders that become empty. */
export function removeGarbage(dataDir: string, garbage: readonly Garbage[]): void {
  const models = join(dataDir, 'models')
  for (const { path } of garbage) {
    rmSync(join(models, path), { recursive: true, force: true })
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) removeIfEmpty(join(models, folder))
  }
}

/** Returns the folders of imports and removals. They lie beside the models' folders, with names that no model has. */
function stagingFolders(dataDir: string): { readonly path: string; readonly name: string }[] {
  const models = join(dataDir, 'models')
  return namesIn(models).flatMap((organisation) =>
    namesIn(join(models, organisation))
      .filter(isStagingName)
      .map((name) => ({ path: join(models, organisation, name), name: `${organisation}/${name}` })),
  )
}
