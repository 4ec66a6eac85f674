/** What models take of the disk. */
import { FileError } from '../../catalog/stat-file.ts'
import { lockName } from '../lock.ts'
import { type ModelFolder, modelFolders } from '../model-folders.ts'
import { type FolderFile, folderFiles } from './folder-files.ts'

export interface ModelUsage {
  readonly modelId: string
  /** Files of the model. */
  readonly fileBytes: number
  /** Of these, what other models or folders have too: a removal does not free it. */
  readonly sharedBytes: number
  /** Downloads that are not whole. */
  readonly partBytes: number
  /** Files that no lock lists; of a model without a lock none. */
  readonly unlistedBytes: number
}

export type FileKind = 'model' | 'part' | 'unlisted' | 'own'

/** Of models whose folders are there. */
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

/** What a removal of these files frees: what nothing else links. */
export function freedBytes(files: readonly FolderFile[]): number {
  const links = countLinks(files)
  const inodes = new Map(
    files.filter(({ found }) => found.nlink <= (links.get(found.ino) ?? 0)).map(({ found }) => [found.ino, found.size]),
  )
  return [...inodes.values()].reduce((total, size) => total + size, 0)
}

/** Also of archives: what is unpacked goes to a hidden folder first. */
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
