import { ChunkSum } from '../store/chunk-sum.ts'

/** Returns the checksum of a chunk in memory. */
export function chunkSumOf(bytes: Uint8Array): string {
  const sum = new ChunkSum()
  sum.add(bytes)
  return sum.end()
}
