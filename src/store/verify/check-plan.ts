/** What is read of a model's files before it is loaded. Pure. */
import { chunkBytes } from '../chunk-sum.ts'
import type { LockedFile } from '../lock.ts'

export interface FileState {
  readonly file: LockedFile
  /** As it was when it was last compared with its sum, as far as the file system tells. */
  readonly isUnchanged: boolean
}

export interface ChunkToCheck {
  readonly file: LockedFile
  readonly index: number
  readonly offset: number
  readonly bytes: number
}

export interface CheckPlan {
  /** Compared as a whole. */
  readonly whole: readonly LockedFile[]
  /** Of the other files. */
  readonly chunks: readonly ChunkToCheck[]
}

/** Chunks of a model that are compared at each load: 192 MiB take about 0.1 s and find a disk that has gone bad. */
const sampledChunks = 3

export interface CheckRules {
  /** Files that were compared after this time may not have reached the disk: the machine or the server stopped uncleanly. */
  readonly suspectAfterMs: number
  /** From 0 up to 1. */
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
