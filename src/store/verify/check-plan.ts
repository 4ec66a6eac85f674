/** Plan of the reads that verify a model's files before a load. Pure. */
import { chunkBytes } from '../chunk-sum.ts'
import type { LockedFile } from '../lock.ts'

interface FileState {
  readonly file: LockedFile
  /** True if the file's size, time and inode are unchanged since the last verification. */
  readonly isUnchanged: boolean
}

export interface ChunkToCheck {
  readonly file: LockedFile
  readonly index: number
  readonly offset: number
  readonly bytes: number
}

interface CheckPlan {
  /** Files to compare completely. */
  readonly whole: readonly LockedFile[]
  /** Chunks of the other files. */
  readonly chunks: readonly ChunkToCheck[]
}

/** Chunks compared at each load: 192 MiB take about 0.1 s and find a failing disk. */
const sampledChunks = 3

interface CheckRules {
  /**
   * Time after which verified files may not have reached the disk, because the machine or the server stopped uncleanly.
   */
  readonly suspectAfterMs: number
  /** Returns a random number from 0 up to 1. */
  readonly random: () => number
}

export function planCheck(states: readonly FileState[], { suspectAfterMs, random }: CheckRules): CheckPlan {
  const isSuspect = ({ file, isUnchanged }: FileState) => !isUnchanged || file.verifiedAtMs > suspectAfterMs
  const chunks = states.filter((state) => !isSuspect(state)).flatMap(({ file }) => chunksOf(file))
  const sampled: ChunkToCheck[] = []
  while (sampled.length < sampledChunks && chunks.length > 0) {
    sampled.push(...chunks.splice(Math.floor(random() * chunks.length), 1))
  }
  return { whole: states.filter(isSuspect).map(({ file }) => file), chunks: sampled }
}

export function chunksOf(file: LockedFile): ChunkToCheck[] {
  return [...file.chunkSums.keys()].map((index) => {
    const offset = index * chunkBytes
    return { file, index, offset, bytes: Math.min(chunkBytes, file.bytes - offset) }
  })
}
