/**
 * Who holds how much of which pool. A process holds memory of the host from its start until it is gone, and memory of a device
 * until a reading shows it back, or five seconds after it is gone: what is then still missing counts as other programs' use.
 */
import type { MemoryBytes, PoolId } from '../core/memory.ts'
import type { PoolReading } from './events.ts'
import { bytesOf, largest, poolsOf } from './memory-bytes.ts'
import { foreignUse, newPool, type Pool, roomBytes } from './pool.ts'
import type { PoolSettings } from './settings.ts'

/** A process that holds memory. `gone`: it has ended, and its memory may still be on its way back. */
export interface Holder {
  readonly model: string
  reserved: MemoryBytes
  /** Undefined until it has been measured. */
  measured?: MemoryBytes
  state: 'starting' | 'serving' | 'stopping' | 'gone'
  goneAtMs?: number
  /** It was killed and does not end. */
  isStuck: boolean
}

/** The memory of a process that is gone counts as free after this long in any case. */
export const releaseAfterMs = 5_000
/** The part of its memory that a reading must show to be back. */
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

  /** What a process uses is held for it at least. */
  measure(holder: Holder, measured: MemoryBytes): void {
    holder.measured = largest(holder.measured ?? {}, measured)
    holder.reserved = largest(holder.reserved, measured)
  }

  /** Its process is gone. The kernel has the host's memory back by then; a driver may need longer. */
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

  /** Releases what has been gone for long. */
  release(nowMs: number): void {
    this.#holders = this.#holders.filter(({ goneAtMs }) => goneAtMs === undefined || goneAtMs + releaseAfterMs > nowMs)
  }

  reservedBytes(pool: PoolId): number {
    let reserved = 0
    for (const holder of this.#holders) reserved += bytesOf(holder.reserved, pool)
    return reserved
  }

  /** For one more process; negative where more is held than there is room. Undefined where nobody knows. */
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

  /** All that is gone from a pool is confirmed together: a reading does not tell whose memory came back. */
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
