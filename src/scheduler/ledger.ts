/**
 * Memory held by processes in each pool. A process holds host memory from its start until it ends, and device memory
 * until a reading shows it returned, or five seconds after the end. Memory that is then still missing counts as other
 * programs' use.
 */
import type { MemoryBytes, PoolId } from '../core/memory.ts'
import type { PoolReading } from './events.ts'
import { bytesOf, largest, poolsOf } from './memory-bytes.ts'
import { foreignUse, newPool, type Pool, roomBytes } from './pool.ts'
import type { PoolSettings } from './settings.ts'

/** Process that holds memory. `gone` means that it has ended, but its memory may not be returned yet. */
export interface Holder {
  readonly model: string
  reserved: MemoryBytes
  /** Undefined until measured. */
  measured?: MemoryBytes
  state: 'starting' | 'serving' | 'stopping' | 'gone'
  goneAtMs?: number
  /** True if it was killed and does not end. */
  isStuck: boolean
}

/** Time after which the memory of an ended process counts as free, whatever readings show. */
export const releaseAfterMs = 5_000
/** Share of its memory that a reading must show as returned. */
const returnedShare = 0.75

export class Ledger {
  readonly #pools = new Map<PoolId, Pool>()
  #holders: Holder[] = []
  #settings: Readonly<Record<PoolId, PoolSettings>> = {}

  get holders(): readonly Holder[] {
    return this.#holders
  }

  get pools(): ReadonlyMap<PoolId, Pool> {
    return this.#pools
  }

  configure(settings: Readonly<Record<PoolId, PoolSettings>>): void {
    this.#settings = settings
    for (const [id, pool] of this.#pools) pool.settings = settings[id] ?? {}
  }

  reserve(model: string, reserved: MemoryBytes): Holder {
    const holder: Holder = { model, reserved, state: 'starting', isStuck: false }
    this.#holders.push(holder)
    return holder
  }

  /** Raises a process's reservation to at least its measured use. */
  measure(holder: Holder, measured: MemoryBytes): void {
    holder.measured = largest(holder.measured ?? {}, measured)
    holder.reserved = largest(holder.reserved, measured)
  }

  /** Records the end of a process. The kernel has host memory back at once; a driver may need longer. */
  end(holder: Holder, nowMs: number): void {
    holder.state = 'gone'
    holder.goneAtMs = nowMs
    holder.isStuck = false
    holder.reserved = { ...holder.reserved, host: 0 }
    this.#dropEmpty()
  }

  read(pools: Readonly<Record<PoolId, PoolReading>>, nowMs: number): void {
    for (const [id, reading] of Object.entries(pools)) {
      const pool = this.#pools.get(id) ?? newPool(id, this.#settings[id] ?? {})
      this.#pools.set(id, pool)
      if (reading === 'unknown') {
        pool.reading = undefined
        pool.misses += 1
        continue
      }
      pool.misses = 0
      pool.totalBytes = reading.totalBytes
      pool.reading = { freeBytes: reading.freeBytes, atMs: nowMs }
      this.#confirmReturn(pool)
      const present = this.#of(id)
      if (present.every(({ state }) => state === 'serving')) {
        pool.foreignBytes = foreignUse(pool, usedBy(present, id))
      }
    }
  }

  /** Releases the memory of processes that ended long ago. */
  release(nowMs: number): void {
    this.#holders = this.#holders.filter(({ goneAtMs }) => goneAtMs === undefined || goneAtMs + releaseAfterMs > nowMs)
  }

  reservedBytes(pool: PoolId): number {
    let reserved = 0
    for (const holder of this.#holders) reserved += bytesOf(holder.reserved, pool)
    return reserved
  }

  /** Returns the bytes held by processes that stay. */
  heldBytes(pool: PoolId): number {
    let held = 0
    for (const { state, reserved } of this.#holders) {
      if (state === 'starting' || state === 'serving') held += bytesOf(reserved, pool)
    }
    return held
  }

  /** Returns the bytes for one more process; negative if more is held than there is room. Undefined if unknown. */
  freeBytes(id: PoolId): number | undefined {
    const pool = this.#pools.get(id)
    const room = pool === undefined ? undefined : roomBytes(pool)
    return room === undefined ? undefined : room - this.reservedBytes(id)
  }

  isFrozen(pool: PoolId): boolean {
    return this.#of(pool).some(({ isStuck }) => isStuck)
  }

  isStarting(pool: PoolId): boolean {
    return this.#of(pool).some(({ state }) => state === 'starting')
  }

  #of(pool: PoolId): Holder[] {
    return this.#holders.filter(({ reserved }) => bytesOf(reserved, pool) > 0)
  }

  #dropEmpty(): void {
    this.#holders = this.#holders.filter(({ state, reserved }) => state !== 'gone' || poolsOf(reserved).length > 0)
  }

  /**
   * Confirms the return of all ended processes' memory in a pool together, because a reading does not tell which memory
   * came back.
   */
  #confirmReturn({ id, totalBytes, foreignBytes, reading }: Pool): void {
    const present = this.#of(id)
    const gone = present.filter(({ state }) => state === 'gone')
    const staying = present.filter(({ state }) => state !== 'gone')
    const missing = totalBytes - foreignBytes - usedBy(staying, id) - (reading?.freeBytes ?? 0)
    if (gone.length === 0 || missing > (1 - returnedShare) * usedBy(gone, id)) return
    for (const holder of gone) holder.reserved = { ...holder.reserved, [id]: 0 }
    this.#dropEmpty()
  }
}

function usedBy(holders: readonly Holder[], pool: PoolId): number {
  return holders.reduce((used, { measured, reserved }) => used + bytesOf(measured ?? reserved, pool), 0)
}
