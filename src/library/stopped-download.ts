import { chunkBytes } from '../store/chunk-sum.ts'
import { folderFiles } from '../store/cleanup/folder-files.ts'
import { notePath, partSuffix } from '../store/download/part-file.ts'
import { notedChunks } from '../store/download/part-note.ts'

/** Bytes in the parts of files that were begun and not ended in a model's folder; undefined where there are none. */
export function stoppedDownloadBytes(folder: string): number | undefined {
  const parts = folderFiles(folder).filter(({ name }) => name.endsWith(partSuffix))
  if (parts.length === 0) return undefined
  return parts.reduce((sum, { path, found }) => {
    const target = path.slice(0, -partSuffix.length)
    return sum + Math.min(found.size, notedChunks(notePath(target)) * chunkBytes)
  }, 0)
}
