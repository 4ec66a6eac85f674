/** Program of the thread that looks at the backup folder: a disk that hangs holds up nothing but this thread. */
import { rmSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorText } from '../core/error-text.ts'
import { listBackups } from './list-backups.ts'
import type { Backup } from './write-backup.ts'

/** Space on the disk of a folder. */
export interface Room {
  /** Device number of its disk. */
  readonly device: number
  readonly freeBytes: number
  readonly totalBytes: number
}

export type FolderTask =
  | { readonly type: 'list'; readonly path: string }
  | { readonly type: 'room'; readonly path: string }
  | { readonly type: 'remove'; readonly path: string }

/** Result of each task. */
export interface FolderResults {
  readonly list: readonly Backup[]
  readonly room: Room
  readonly remove: undefined
}

export type FolderAnswer = { readonly result: FolderResults[keyof FolderResults] } | { readonly problem: string }

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<FolderTask>) => self.postMessage(answer(data))

function answer({ type, path }: FolderTask): FolderAnswer {
  try {
    if (type === 'list') return { result: listBackups(path) }
    if (type === 'room') return { result: roomOf(path) }
    rmSync(path)
    return { result: undefined }
  } catch (error) {
    return { problem: errorText(error) }
  }
}

/** Returns the space for a folder. A missing one counts as its parent. */
function roomOf(path: string): Room {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined && dirname(path) !== path) return roomOf(dirname(path))
  const { bsize, bavail, blocks } = statfsSync(path)
  return { device: found?.dev ?? 0, freeBytes: bsize * bavail, totalBytes: bsize * blocks }
}
