/** Whether a model fits into this machine's memory, said before it is fetched or loaded. */
import type { MemoryBytes, Placement } from '../core/memory.ts'
import type { InstalledModel } from '../core/model.ts'
import type { MemoryReadings } from '../machine/read-memory.ts'
import { emptyRoomBytes, newPool } from '../scheduler/pool.ts'
import type { PoolSettings } from '../scheduler/settings.ts'

/** What models may have of each pool that can be read, while nothing is loaded. */
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
  /** The best placement that fits; the one that needs least where none does. */
  readonly placement: Placement
  readonly fits: boolean
  /** Less than what is set, where only that fits; undefined where the engine has no context. */
  readonly contextTokens: number | undefined
}

/** Contexts that are tried where the one that is set does not fit. */
const smallerContexts = [32_768, 16_384, 8_192, 4_096]

/**
 * How a model would fit: as it is set, else with a smaller context. `placementsWith` asks for the ways to hold it; undefined:
 * as it is set.
 */
export async function memoryOutlook(
  model: Pick<InstalledModel, 'manifest'>,
  {
    budgetBytes,
    contextTokens,
    placementsWith,
  }: {
    readonly budgetBytes: MemoryBytes
    /** As it is set; undefined where the engine has none. */
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
