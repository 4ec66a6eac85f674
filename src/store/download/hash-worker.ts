/** The program of a thread that hashes pieces of files. */
import { createHash, type Hash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import type { FilePiece, HashResult, HashTask } from './hash-threads.ts'

declare const self: Worker

const buffer = new Uint8Array(1024 * 1024)
const wholes = new Map<number, Hash>()

self.onmessage = ({ data }: MessageEvent<HashTask>) => self.postMessage(answer(data))

function answer(task: HashTask): HashResult {
  try {
    return { sha256: perform(task) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** The sum, empty where there is none yet. */
function perform(task: HashTask): string {
  switch (task.type) {
    case 'sum':
      return add(createHash('sha256'), task).digest('hex')
    case 'follow':
      wholes.set(task.file, add(wholes.get(task.file) ?? createHash('sha256'), task))
      return ''
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

function add(hash: Hash, { path, offset, bytes }: FilePiece): Hash {
  const file = openSync(path, 'r')
  try {
    for (let done = 0; done < bytes; ) {
      const count = readSync(file, buffer, 0, Math.min(buffer.length, bytes - done), offset + done)
      if (count === 0) throw new Error(`${path} became shorter while it was hashed`)
      hash.update(buffer.subarray(0, count))
      done += count
    }
    return hash
  } finally {
    closeSync(file)
  }
}
