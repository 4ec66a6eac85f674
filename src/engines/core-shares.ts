/**
 * How many CPU threads each busy engine computes with. Pure. Threads of one step wait for each other, so an engine whose threads
 * have no cores of their own is many times slower: two engines together have no more threads than one alone would have.
 */
import { type CpuAllowance, coresOf, defaultThreads } from '../machine/cpu-allowance.ts'

/**
 * Shares for engines that are busy at the same time, in the same order. `wishes`: what each would use if it were alone, as set
 * or by default; it gets no more. Each gets one at least, what is left goes round, and those that come first get the remainder.
 */
export function coreShares(wishes: readonly number[], allowance: CpuAllowance): number[] {
  const largest = Math.max(...wishes)
  if (wishes.length < 2) return [...wishes]
  // An operator who sets more threads than the default wants to use more cores, but not more than there are.
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
