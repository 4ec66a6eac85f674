/** Choice of models to evict: the set that frees enough and is the cheapest to load again. */
import type { MemoryBytes } from '../core/memory.ts'
import { bytesOf, poolsOf } from './memory-bytes.ts'

export interface Candidate {
  readonly id: string
  readonly reserved: MemoryBytes
  /** Cost of its absence: arrivals per second times the seconds of a load. */
  readonly cost: number
  readonly lastUsedMs: number
}

/** Most candidates for the exact search over all sets, which is slow beyond. */
const exactLimit = 12

/**
 * Returns the ids of the set; undefined if even all of them free too little. Ties go to the fewest bytes, then the
 * longest unused.
 */
export function chooseVictims(shortage: MemoryBytes, candidates: readonly Candidate[]): readonly string[] | undefined {
  const short = poolsOf(shortage)
  const useful = candidates.filter(({ reserved }) => short.some((pool) => bytesOf(reserved, pool) > 0))
  if (!frees(useful, shortage)) return undefined
  const chosen = useful.length <= exactLimit ? exact(useful, shortage) : greedy(useful, shortage)
  return chosen.map(({ id }) => id)
}

function exact(candidates: readonly Candidate[], shortage: MemoryBytes): readonly Candidate[] {
  let best = candidates
  for (let set = 1; set < 2 ** candidates.length; set++) {
    const chosen = candidates.filter((_, index) => (set >> index) & 1)
    if (isCheaper(chosen, best, shortage) && frees(chosen, shortage)) best = chosen
  }
  return best
}

/** Takes the candidate with the least cost per freed byte until enough is freed, then gives unneeded ones back. */
function greedy(candidates: readonly Candidate[], shortage: MemoryBytes): readonly Candidate[] {
  const useOf = (candidate: Candidate) => freed([candidate], shortage)
  const order = candidates.toSorted(
    (a, b) => a.cost / useOf(a) - b.cost / useOf(b) || a.lastUsedMs - b.lastUsedMs || compareIds(a, b),
  )
  const chosen: Candidate[] = []
  for (const candidate of order) {
    if (frees(chosen, shortage)) break
    chosen.push(candidate)
  }
  for (const candidate of chosen.toSorted((a, b) => b.cost - a.cost || compareIds(a, b))) {
    const without = chosen.filter((other) => other !== candidate)
    if (frees(without, shortage)) chosen.splice(chosen.indexOf(candidate), 1)
  }
  return chosen
}

function isCheaper(one: readonly Candidate[], other: readonly Candidate[], shortage: MemoryBytes): boolean {
  const cost = (set: readonly Candidate[]) => set.reduce((sum, candidate) => sum + candidate.cost, 0)
  const lastUse = (set: readonly Candidate[]) => Math.max(...set.map(({ lastUsedMs }) => lastUsedMs))
  const difference = cost(one) - cost(other) || freed(one, shortage) - freed(other, shortage)
  return (difference || lastUse(one) - lastUse(other)) < 0
}

/** Returns whether all of them together free enough. */
export function frees(set: readonly Candidate[], shortage: MemoryBytes): boolean {
  return poolsOf(shortage).every((pool) => freedOf(set, pool) >= bytesOf(shortage, pool))
}

/** Returns the freed bytes in the pools that lack memory. */
function freed(set: readonly Candidate[], shortage: MemoryBytes): number {
  return poolsOf(shortage).reduce((bytes, pool) => bytes + freedOf(set, pool), 0)
}

function freedOf(set: readonly Candidate[], pool: string): number {
  return set.reduce((bytes, { reserved }) => bytes + bytesOf(reserved, pool), 0)
}

function compareIds(a: Candidate, b: Candidate): number {
  return a.id < b.id ? -1 : 1
}
