/** Changes of single files that survive a power cut completely or not at all. */
import { existsSync, renameSync } from 'node:fs'
import { link, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Disk, realDisk } from './disk.ts'
import { exchangeNames } from './libc.ts'

/** Returns the path of a file that does not have its name yet. */
export function temporaryPath(path: string): string {
  return `${path}.tmp`
}

/**
 * Replaces a file atomically: readers find the old content or the new one. One writer at a time; leftovers of a killed
 * writer are overwritten. The folder must exist.
 */
export async function writeDurably(path: string, content: string | Uint8Array, disk: Disk = realDisk): Promise<void> {
  await renameDurably(await prepareFile(path, content, disk), path, disk)
}

/** Writes the content of a file, flushed, beside it. Returns the path to be renamed to the file's own. */
export async function prepareFile(path: string, content: string | Uint8Array, disk: Disk = realDisk): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const temporary = temporaryPath(path)
  await disk.remove(temporary)
  await using file = await disk.open(temporary)
  await file.write(bytes, 0)
  await file.flush()
  return temporary
}

/** Renames a file or a folder within its folder. Its content must be flushed before. */
export async function renameDurably(from: string, to: string, disk: Disk = realDisk): Promise<void> {
  await disk.rename(from, to)
  await disk.flushFolder(dirname(to))
  if (dirname(from) !== dirname(to)) await disk.flushFolder(dirname(from))
}

/**
 * Puts the folder `made` in the place of `target`, whose folder, if any, moves to `made`. Returns a function that
 * undoes it. The caller flushes: `made`'s content before, the folders above both afterwards. Throws the system's
 * errors; then nothing has changed.
 */
export function replaceFolder(target: string, made: string): () => void {
  if (!existsSync(target)) {
    renameSync(made, target)
    return () => renameSync(target, made)
  }
  if (!exchangeNames(target, made)) {
    // Some network file systems cannot: then a kill at this moment leaves no folder in place.
    const old = `${made}.old`
    renameSync(target, old)
    renameSync(made, target)
    renameSync(old, made)
  }
  return () => replaceFolder(target, made)
}

/**
 * Links a file to the temporary path of `path`, to be renamed. Returns false if the file system has no links or the
 * file does not exist.
 */
export async function linkBeside(from: string, path: string, disk: Disk = realDisk): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await disk.remove(temporaryPath(path))
  return link(from, temporaryPath(path)).then(
    () => true,
    () => false,
  )
}
