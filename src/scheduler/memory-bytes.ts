/** Arithmetic on bytes by pool. */
import type { MemoryBytes, PoolId } from '../core/memory.ts'

export function bytesOf(memory: MemoryBytes, pool: PoolId): number {
  return memory[pool] ?? 0
}

/** Returns the pools with any bytes. */
export function poolsOf(memory: MemoryBytes): readonly PoolId[] {
  return Object.keys(memory).filter((pool) => bytesOf(memory, pool) > 0)
}

export function largest(one: MemoryBytes, other: MemoryBytes): MemoryBytes {
  return combine(one, other, Math.max)
}

export function sum(one: MemoryBytes, other: MemoryBytes): MemoryBytes {
  return combine(one, other, (a, b) => a + b)
}

export function totalBytes(memory: MemoryBytes): number {
  return Object.values(memory).reduce((total, bytes) => total + bytes, 0)
}

function combine(one: MemoryBytes, other: MemoryBytes, with_: (a: number, b: number) => number): MemoryBytes {
  const pools = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return Object.fromEntries(pools.map((pool) => [pool, with_(bytesOf(one, pool), bytesOf(other, pool))]))
}
