import type { LocatedFile } from '../catalog/locate-files.ts'
import { FileError, statFile } from '../catalog/stat-file.ts'
import { folderFiles } from '../store/cleanup/folder-files.ts'

/** Returns the disk space of a model's files, including unpacked archives. Files inside the program do not count. */
export function diskBytes(files: readonly LocatedFile[]): number {
  return files.reduce((total, { path, isFolder, isCarried }) => {
    if (isCarried) return total
    if (isFolder) return total + folderFiles(path).reduce((sum, { found }) => sum + found.size, 0)
    const found = statFile(path)
    return total + (found === undefined || found instanceof FileError ? 0 : found.size)
  }, 0)
}
