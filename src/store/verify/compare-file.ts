import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DamagedFile } from '../../catalog/damage-note.ts'
import { type FileError, unreadable } from '../../catalog/stat-file.ts'
import { type FileSums, type HashOptions, hashFile } from '../hash-file.ts'
import type { LockedFile } from '../lock.ts'

type Comparison =
  /** The content matches its checksum. `file` is its current entry in the lock. */
  | { readonly kind: 'equal'; readonly file: LockedFile }
  | { readonly kind: 'damaged'; readonly damage: DamagedFile }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly problem: FileError }

/** Reads a whole file in little memory and compares it with its checksums. Throws the signal's reason. */
export async function compareFile(folder: string, file: LockedFile, options: HashOptions = {}): Promise<Comparison> {
  const path = join(folder, file.name)
  const before = await stat(path).catch(() => undefined)
  if (before === undefined || !before.isFile()) return { kind: 'missing' }
  let found: FileSums
  try {
    found = await hashFile(path, options)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return { kind: 'unreadable', problem: unreadable(error) }
    throw error
  }
  const state = { mtimeMs: before.mtimeMs, inode: before.ino }
  if (found.sha256 === file.sha256) {
    return { kind: 'equal', file: { ...file, ...found, verifiedAtMs: Date.now(), stat: state } }
  }
  const chunks = [...file.chunkSums.keys()].filter((index) => found.chunkSums[index] !== file.chunkSums[index])
  const chunkCount = file.chunkSums.length
  // Data after the last chunk is damage too.
  const damaged = chunks.length > 0 ? chunks : [Math.max(0, chunkCount - 1)]
  return { kind: 'damaged', damage: { name: file.name, chunks: damaged, chunkCount, stat: state } }
}
