/** Choice of models to evict: the set that frees enough and is the cheapest to load again. */
import type { MemoryBytes } from '../core/memory.ts'
import { rateAt } from './arrival-rate.ts'
import { bytesOf, poolsOf } from './memory-bytes.ts'
import type { Model } from './model.ts'
import type { State } from './state.ts'

interface Candidate {
  readonly model: Model
  readonly reserved: MemoryBytes
  readonly cost: number
  readonly lastUsedMs: number
}

/** Maximum candidates for the exact search over all sets, which is slow for more. */
const exactLimit = 12

/**
 * Returns the cheapest set of the models that frees the missing bytes; undefined if even all of them free too little.
 * Ties go to the fewest bytes, then the longest unused.
 */
export function chooseVictims(
  state: State,
  shortage: MemoryBytes,
  models: readonly Model[],
): readonly Model[] | undefined {
  const useful = usefulOf(state, shortage, models)
  if (!frees(useful, shortage)) return undefined
  const chosen = useful.length <= exactLimit ? exact(useful, shortage) : greedy(useful, shortage)
  return chosen.map(({ model }) => model)
}

/** Returns one model whose end frees some of the missing bytes, though perhaps too few. Undefined if none holds any. */
export function cheapestVictim(state: State, shortage: MemoryBytes, models: readonly Model[]): Model | undefined {
  const enough = chooseVictims(state, shortage, models)
  if (enough !== undefined) return enough[0]
  return usefulOf(state, shortage, models).sort((a, b) => a.cost - b.cost)[0]?.model
}

/** Returns whether all of the models together free the missing bytes. */
export function canFree(state: State, shortage: MemoryBytes, models: readonly Model[]): boolean {
  return frees(usefulOf(state, shortage, models), shortage)
}

/** Returns the cost of a model's absence: arrivals per second times the seconds of a load. */
export function reloadCost({ nowMs }: State, { arrivals, loadMs }: Model): number {
  return rateAt(arrivals, nowMs) * (loadMs / 1000)
}

/** Returns the models that hold memory where it is missing. */
function usefulOf(state: State, shortage: MemoryBytes, models: readonly Model[]): Candidate[] {
  const short = poolsOf(shortage)
  return models.flatMap((model) => {
    const reserved = model.phase.type === 'absent' ? {} : model.phase.holder.reserved
    if (!short.some((pool) => bytesOf(reserved, pool) > 0)) return []
    return [{ model, reserved, cost: reloadCost(state, model), lastUsedMs: model.lastUsedMs ?? 0 }]
  })
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

function frees(set: readonly Candidate[], shortage: MemoryBytes): boolean {
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
  return a.model.id < b.model.id ? -1 : 1
}
