/** Changes of single files that are there after a power cut, whole or not at all. */
import { link, mkdir, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Disk, realDisk } from './disk.ts'

/** Where a file waits for its name. */
export function temporaryPath(path: string): string {
  return `${path}.tmp`
}

/**
 * Puts a file in place whole: readers find the old content or the new one. One writer at a time: what a killed writer left
 * is overwritten by the next. The folder must exist.
 */
export async function writeDurably(path: string, content: string | Uint8Array, disk: Disk = realDisk): Promise<void> {
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
  await renameDurably(temporary, path, disk)
}

/** Moves a file or a folder to a name beside it. What it contains must be flushed before. */
export async function renameDurably(from: string, to: string, disk: Disk = realDisk): Promise<void> {
  await disk.rename(from, to)
  await disk.flushFolder(dirname(to))
  if (dirname(from) !== dirname(to)) await disk.flushFolder(dirname(from))
}

/**
 * Puts the folder `made` in the place of `target`; what was there becomes `old`, on the same file system. What `made` holds
 * must be flushed before. Throws what the system says; then nothing has changed.
 */
export async function replaceFolder(
  target: string,
  made: string,
  old: string,
): Promise<{ readonly undo: () => Promise<void> }> {
  const isReplaced = await rename(target, old).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
      throw error
    },
  )
  const restore = () => (isReplaced ? rename(old, target) : undefined)
  try {
    await rename(made, target)
  } catch (error) {
    await restore()
    throw error
  }
  await realDisk.flushFolder(dirname(target))
  return {
    async undo() {
      await rename(target, made)
      await restore()
      await realDisk.flushFolder(dirname(target))
    },
  }
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
