/** Thread that hashes pieces of files. */
import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { errorText } from '../../core/error-text.ts'
import { ChunkSum } from '../chunk-sum.ts'

export interface DiskPiece {
  readonly path: string
  readonly offset: number
  readonly bytes: number
}

/** Task of the thread. `file` numbers the checksum of a whole file. */
export type HashTask =
  | ({ readonly type: 'chunk' } & DiskPiece)
  | ({ readonly type: 'follow'; readonly file: number } & DiskPiece)
  | { readonly type: 'end'; readonly file: number }
  | { readonly type: 'drop'; readonly file: number }

/** Answer, one per task in order. The checksum is empty if not complete yet. */
export type HashResult = { readonly sum: string } | { readonly problem: string }

declare const self: Worker

const wholes = new Map<number, Hash>()

self.onmessage = ({ data }: MessageEvent<HashTask>) => self.postMessage(answer(data))

function answer(task: HashTask): HashResult {
  try {
    return { sum: perform(task) }
  } catch (error) {
    return { problem: errorText(error) }
  }
}

function perform(task: HashTask): string {
  switch (task.type) {
    case 'chunk': {
      const sum = new ChunkSum()
      read(task, (bytes) => sum.add(bytes))
      return sum.end()
    }
    case 'follow': {
      const whole = wholes.get(task.file) ?? createHash('sha256')
      wholes.set(task.file, whole)
      read(task, (bytes) => whole.update(bytes))
      return ''
    }
    case 'end': {
      const whole = wholes.get(task.file) ?? createHash('sha256')
      wholes.delete(task.file)
      return whole.digest('hex')
    }
    case 'drop':
      wholes.delete(task.file)
      return ''
  }
}

const buffer = new Uint8Array(1024 * 1024)

function read({ path, offset, bytes }: DiskPiece, onBytes: (bytes: Uint8Array) => void): void {
  const file = openSync(path, 'r')
  try {
    for (let done = 0; done < bytes; ) {
      const count = readSync(file, buffer, 0, Math.min(buffer.length, bytes - done), offset + done)
      if (count === 0) throw new Error(`${path} became shorter while it was hashed`)
      onBytes(buffer.subarray(0, count))
      done += count
    }
  } finally {
    closeSync(file)
  }
}
