/** Predicts whether a model fits into this machine's memory before it is fetched or loaded. */
import type { MemoryBytes, Placement } from '../core/memory.ts'
import type { InstalledModel } from '../core/model.ts'
import type { MemoryReadings } from '../machine/read-memory.ts'
import { emptyRoomBytes, newPool } from '../scheduler/pool.ts'
import type { PoolSettings } from '../scheduler/settings.ts'

/** Returns the bytes of each readable pool that models may use while nothing is loaded. */
export function memoryBudget(readings: MemoryReadings, settings: PoolSettings): MemoryBytes {
  const pools = Object.entries(readings).flatMap(([id, reading]) => {
    if (reading === 'unknown') return []
    const { totalBytes, freeBytes } = reading
    const pool = { ...newPool(id, settings), totalBytes, reading: { freeBytes, atMs: 0 } }
    return [[id, emptyRoomBytes(pool) ?? 0] as const]
  })
  return Object.fromEntries(pools)
}

export interface MemoryOutlook {
  /** The best placement that fits, else the one with the least need. */
  readonly placement: Placement
  readonly fits: boolean
  /** Context in tokens, smaller than set if only that fits. Undefined for engines without a context. */
  readonly contextTokens: number | undefined
}

/** Contexts to try if the set one does not fit, in tokens. */
const smallerContexts = [32_768, 16_384, 8_192, 4_096]

/**
 * Returns how a model would fit: with its set context, else with a smaller one. `placementsWith` returns the placements
 * for a context; undefined means the set one.
 */
export async function memoryOutlook(
  model: Pick<InstalledModel, 'manifest'>,
  {
    budgetBytes,
    contextTokens,
    placementsWith,
  }: {
    readonly budgetBytes: MemoryBytes
    /** Set context in tokens. Undefined for engines without one. */
    readonly contextTokens: number | undefined
    readonly placementsWith: (contextTokens: number | undefined) => Promise<readonly Placement[]>
  },
): Promise<MemoryOutlook> {
  const { contextLength = Number.POSITIVE_INFINITY } = model.manifest
  const set = contextTokens === undefined ? undefined : Math.min(contextTokens, contextLength)
  const smaller = set === undefined ? [] : smallerContexts.filter((tokens) => tokens < set)
  let least: MemoryOutlook | undefined
  for (const tokens of [set, ...smaller]) {
    const placements = await placementsWith(tokens)
    const placement = placements.find(({ needBytes }) => fitsInto(needBytes, budgetBytes))
    if (placement !== undefined) return { placement, fits: true, contextTokens: tokens }
    const [smallest] = placements.toSorted((left, right) => sumOf(left.needBytes) - sumOf(right.needBytes))
    if (smallest !== undefined) least = { placement: smallest, fits: false, contextTokens: tokens }
  }
  if (least === undefined) throw new Error('a model has no placements: this is a bug')
  return least
}

function fitsInto(need: MemoryBytes, budget: MemoryBytes): boolean {
  return Object.entries(need).every(([pool, bytes]) => bytes <= (budget[pool] ?? 0))
}

function sumOf(need: MemoryBytes): number {
  return Object.values(need).reduce((sum, bytes) => sum + bytes, 0)
}
