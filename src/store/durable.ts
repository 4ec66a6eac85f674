/** Changes of single files that are there after a power cut, whole or not at all. */
import { existsSync, renameSync } from 'node:fs'
import { link, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Disk, realDisk } from './disk.ts'
import { exchangeNames } from './libc.ts'

/** Where a file waits for its name. */
export function temporaryPath(path: string): string {
  return `${path}.tmp`
}

/**
 * Puts a file in place whole: readers find the old content or the new one. One writer at a time: what a killed writer left
 * is overwritten by the next. The folder must exist.
 */
export async function writeDurably(path: string, content: string | Uint8Array, disk: Disk = realDisk): Promise<void> {
  await renameDurably(await prepareFile(path, content, disk), path, disk)
}

/** Writes the content of a file, flushed, beside it; returns the path that is to be renamed to the file's own. */
export async function prepareFile(path: string, content: string | Uint8Array, disk: Disk = realDisk): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const temporary = temporaryPath(path)
  await disk.remove(temporary)
  const file = await disk.open(temporary)
  try {
    await file.write(bytes, 0)
    await file.flush()
  } finally {
    await file.close()
  }
  return temporary
}

/** Moves a file or a folder to a name beside it. What it contains must be flushed before. */
export async function renameDurably(from: string, to: string, disk: Disk = realDisk): Promise<void> {
  await disk.rename(from, to)
  await disk.flushFolder(dirname(to))
  if (dirname(from) !== dirname(to)) await disk.flushFolder(dirname(from))
}

/**
 * Puts the folder `made` in the place of `target`, which need not be there; else it is at `made` afterwards. Returns what undoes
 * it. The caller flushes: what `made` holds before, the folders above both afterwards. Throws what the system says; then nothing
 * has changed.
 */
export function replaceFolder(target: string, made: string): () => void {
  if (!existsSync(target)) {
    renameSync(made, target)
    return () => renameSync(target, made)
  }
  if (!exchangeNames(target, made)) {
    // Some file systems of networks cannot: then a kill at this moment leaves no folder at its place.
    const old = `${made}.old`
    renameSync(target, old)
    renameSync(made, target)
    renameSync(old, made)
  }
  return () => replaceFolder(target, made)
}

/** Links a file to the temporary path of `path`, to be renamed; false where the file system has no links, or there is no file. */
export async function linkBeside(from: string, path: string, disk: Disk = realDisk): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await disk.remove(temporaryPath(path))
  return link(from, temporaryPath(path)).then(
    () => true,
    () => false,
  )
}
