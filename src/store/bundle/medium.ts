/** Files of a medium that is not trusted: no links, no devices, no FIFOs, nothing larger than it should be. */
import { constants, lstatSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { FileError, unreadable } from '../../catalog/stat-file.ts'
import { bundleFolder, manifestName } from './layout.ts'

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants

/** Returns the bundle in a folder: the folder itself, or `inferd-bundle` in it. */
export function bundleAt(folder: string): string {
  const inside = join(folder, bundleFolder)
  const isBundle = (path: string) => lstatSync(join(path, manifestName), { throwIfNoEntry: false }) !== undefined
  return !isBundle(folder) && isBundle(inside) ? inside : folder
}

/**
 * Opens a file of a bundle to read. `path` is one that `layout.ts` makes. Undefined if there is none. Throws FileError
 * if it is not a plain file, or a link leads to it.
 */
export async function openOnMedium(root: string, path: string): Promise<FileHandle | undefined> {
  const folders = path.split('/').slice(0, -1)
  try {
    for (const [index] of folders.entries()) {
      const found = lstatSync(join(root, ...folders.slice(0, index + 1)), { throwIfNoEntry: false })
      if (found === undefined) return undefined
      if (!found.isDirectory()) throw new FileError('lies below a link or a file instead of a folder')
    }
    const found = lstatSync(join(root, path), { throwIfNoEntry: false })
    if (found === undefined) return undefined
    if (!found.isFile()) throw new FileError('is a link, a device or a folder instead of a file')
    const file = await open(join(root, path), O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
    if ((await file.stat()).isFile()) return file
    await file.close()
    throw new FileError('is not a file')
  } catch (error) {
    throw error instanceof FileError ? error : unreadable(error)
  }
}

/**
 * Reads a small file completely; undefined if there is none. Throws FileError, also if it is larger than `limitBytes`.
 */
export async function readOnMedium(root: string, path: string, limitBytes: number): Promise<Buffer | undefined> {
  await using file = await openOnMedium(root, path)
  if (file === undefined) return undefined
  try {
    const bytes = Buffer.alloc(limitBytes + 1)
    let filled = 0
    for (;;) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, filled)
      filled += bytesRead
      if (filled > limitBytes) throw new FileError(`is larger than ${limitBytes} bytes`)
      if (bytesRead === 0) return bytes.subarray(0, filled)
    }
  } catch (error) {
    throw error instanceof FileError ? error : unreadable(error)
  }
}
