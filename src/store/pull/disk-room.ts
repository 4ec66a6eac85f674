/** Check of disk space before a pull, including the needs of other running pulls. */

import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readPullNote } from '../../catalog/pull-note.ts'
import { namesIn } from '../../core/names-in.ts'
import { sizeText } from '../../core/quantities.ts'
import { keptFreeBytes } from '../disk.ts'

export interface DiskRoom {
  readonly freeBytes: number
  readonly totalBytes: number
  /** True for FAT32, which cannot hold files of 4 GiB. */
  readonly isFat: boolean
}

const fatType = 0x4d44
const fatLimitBytes = 4 * 1024 ** 3 - 1

/** Returns the space of the file system that holds a folder, or will hold it once created. */
export async function readDiskRoom(folder: string): Promise<DiskRoom> {
  const found = await statfs(folder).catch((error: unknown) => {
    if (dirname(folder) === folder || !(error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      throw error
  })
  if (found === undefined) return readDiskRoom(dirname(folder))
  const { bsize, bavail, blocks, type } = found
  return { freeBytes: bsize * bavail, totalBytes: bsize * blocks, isFat: type === fatType }
}

export interface DiskNeed {
  /** Bytes still to be written, including unpacked files. */
  readonly missingBytes: number
  readonly largestFileBytes: number
  /** Bytes that other pulls still need. */
  readonly promisedBytes: number
}

/** Returns why the disk is too small, and the remedy; undefined if all fits. Keeps some space for everything else. */
export function roomProblem(need: DiskNeed, { freeBytes, totalBytes, isFat }: DiskRoom): string | undefined {
  if (isFat && need.largestFileBytes > fatLimitBytes)
    return 'the data folder is on a FAT32 file system, where no file has 4 GiB or more: choose another by --data'
  const reserveBytes = keptFreeBytes(totalBytes)
  const lackingBytes = need.missingBytes + need.promisedBytes + reserveBytes - freeBytes
  if (need.missingBytes === 0 || lackingBytes <= 0) return undefined
  const others = need.promisedBytes === 0 ? '' : `, ${sizeText(need.promisedBytes)} for other pulls that run`
  const parts = `${sizeText(need.missingBytes)} to write${others}, ${sizeText(reserveBytes)} that stay free`
  return `the disk has ${sizeText(freeBytes)} free and needs ${sizeText(lackingBytes)} more (${parts}): make room, or --force to try`
}

/** Returns the bytes that running pulls of other models still need in a data folder. */
export function promisedToOthers(dataDir: string, modelIds: readonly string[]): number {
  const folders = join(dataDir, 'models')
  const ids = namesIn(folders).flatMap((org) => namesIn(join(folders, org)).map((name) => `${org}/${name}`))
  const notes = ids.flatMap((id) => (modelIds.includes(id) ? [] : (readPullNote(join(folders, id)) ?? [])))
  return notes.reduce((sum, note) => sum + note.promisedBytes, 0)
}
