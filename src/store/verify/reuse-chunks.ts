import { copyFile, rename, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DamagedFile } from '../../catalog/damage-note.ts'
import { realDisk } from '../disk.ts'
import { discardPart, notePath, partPath } from '../download/part-file.ts'
import { writeNote } from '../download/part-note.ts'
import type { LockedFile } from '../lock.ts'

/**
 * Turns a damaged file into the part of a download that lacks only the damaged chunks. Other links to the content stay
 * unchanged. The file is gone from its place afterwards.
 */
export async function reuseChunks(target: string, file: LockedFile, { chunks }: DamagedFile): Promise<void> {
  const found = await stat(target).catch(() => undefined)
  if (found === undefined || !found.isFile()) return
  await discardPart(target, realDisk)
  if (found.nlink === 1) await rename(target, partPath(target))
  else {
    await copyFile(target, partPath(target))
    await realDisk.remove(target)
  }
  await truncate(partPath(target), file.bytes)
  const part = await realDisk.open(partPath(target))
  await part.flush().finally(() => part.close())
  await realDisk.flushFolder(dirname(target))
  const good = [...file.chunkSums.entries()].filter(([index]) => !chunks.includes(index))
  const identity = { bytes: file.bytes, sha256: file.sha256, commit: file.commit }
  await writeNote(notePath(target), identity, new Map(good), realDisk)
}
