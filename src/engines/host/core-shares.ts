/**
 * CPU threads of each busy engine. Pure. Threads of one step wait for each other, so an engine whose threads lack cores
 * is many times slower: two engines together get no more threads than one alone.
 */
import { type CpuAllowance, coresOf, defaultThreads } from '../../machine/cpu-allowance.ts'

/**
 * Returns the shares of engines that are busy at the same time, in order. `wishes` are the threads that each engine
 * uses alone, set or by default; no share exceeds them. Each engine gets at least one thread; the rest is distributed
 * evenly, the remainder to the first engines.
 */
export function coreShares(wishes: readonly number[], allowance: CpuAllowance): number[] {
  const largest = Math.max(...wishes)
  if (wishes.length < 2) return [...wishes]
  // An operator's setting above the default raises the limit, at most to the number of cores.
  let left = Math.max(defaultThreads(allowance), Math.min(largest, coresOf(allowance))) - wishes.length
  const shares = wishes.map(() => 1)
  while (left > 0) {
    const before = left
    for (const [index, wish] of wishes.entries()) {
      const share = shares[index] ?? wish
      if (left === 0 || share >= wish) continue
      shares[index] = share + 1
      left--
    }
    if (left === before) break
  }
  return shares
}
