/** Disk usage of models. */
import { FileError } from '../../catalog/stat-file.ts'
import { lockName } from '../lock.ts'
import { type ModelFolder, modelFolders } from '../model-folders.ts'
import { type FolderFile, folderFiles } from './folder-files.ts'

export interface ModelUsage {
  readonly modelId: string
  /** Bytes of the model's files. */
  readonly fileBytes: number
  /** Bytes of files that other models or folders link too. A removal does not free them. */
  readonly sharedBytes: number
  /** Bytes of incomplete downloads. */
  readonly partBytes: number
  /** Bytes of files that the lock does not list. 0 for a model without a lock. */
  readonly unlistedBytes: number
}

export type FileKind = 'model' | 'part' | 'unlisted' | 'own'

/** Returns the usage of all models that have folders. */
export function diskUsage(dataDir: string): ModelUsage[] {
  return modelFolders(dataDir).map(usageOf)
}

export function usageOf(folder: ModelFolder): ModelUsage {
  const files = folderFiles(folder.folder).map((file) => ({ ...file, kind: kindOf(file, folder) }))
  const links = countLinks(files)
  const sum = (wanted: (file: FolderFile & { readonly kind: FileKind }) => boolean) => {
    const inodes = new Map(files.filter(wanted).map(({ found }) => [found.ino, found.size]))
    return [...inodes.values()].reduce((total, size) => total + size, 0)
  }
  return {
    modelId: folder.modelId,
    fileBytes: sum(({ kind }) => kind === 'model'),
    sharedBytes: sum(({ kind, found }) => kind === 'model' && found.nlink > (links.get(found.ino) ?? 0)),
    partBytes: sum(({ kind }) => kind === 'part'),
    unlistedBytes: sum(({ kind }) => kind === 'unlisted'),
  }
}

/** Returns the bytes that a removal of these files frees: those without other links. */
export function freedBytes(files: readonly FolderFile[]): number {
  const links = countLinks(files)
  const inodes = new Map(
    files.filter(({ found }) => found.nlink <= (links.get(found.ino) ?? 0)).map(({ found }) => [found.ino, found.size]),
  )
  return [...inodes.values()].reduce((total, size) => total + size, 0)
}

/** Pattern of partial files, including folders into which archives are being unpacked. */
const partPattern = /\.(part|part\.json|pull|tmp|archive)$|(^|\/)\.[^/]+\.unpacking-\w+\//

export function kindOf({ name }: FolderFile, { lock }: ModelFolder): FileKind {
  if (partPattern.test(name)) return 'part'
  if (name === lockName || name.startsWith('.')) return 'own'
  if (lock === undefined || lock instanceof FileError) return 'model'
  return lock.files.some((file) => file.name === name) ? 'model' : 'unlisted'
}

function countLinks(files: readonly FolderFile[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { found } of files) counts.set(found.ino, (counts.get(found.ino) ?? 0) + 1)
  return counts
}
