/** Memory that processes hold in each pool, computed only from events, independently of the scheduler's books. */
import type { MemoryBytes, PoolId } from '../../core/memory.ts'
import type { PoolReading } from '../../scheduler/events.ts'
import type { PoolSettings } from '../../scheduler/settings.ts'

export interface Process {
  readonly model: string
  reserved: MemoryBytes
  measured?: MemoryBytes
  state: 'starting' | 'ready' | 'stopping' | 'gone'
  goneAtMs: number
  hasServed: boolean
}

interface Reading {
  totalBytes: number
  freeBytes: number
  atMs: number
}

const MiB = 1024 ** 2
/** Longest time that the memory of an ended process stays counted, in milliseconds. */
const releaseMs = 5_000

export class Books {
  settings: Readonly<Record<PoolId, PoolSettings>> = {}
  processes: Process[] = []
  readonly readings = new Map<PoolId, Reading | 'unknown'>()
  readonly foreign = new Map<PoolId, number>()

  /** Drops processes that ended long ago. `isTimed` is true if the scheduler's time is known exactly. */
  release(nowMs: number, isTimed: boolean): void {
    this.processes = this.processes.filter(
      ({ state, goneAtMs }) => state !== 'gone' || (isTimed && goneAtMs + releaseMs > nowMs),
    )
  }

  read(pool: PoolId, reading: PoolReading, nowMs: number): void {
    this.readings.set(pool, reading === 'unknown' ? reading : { ...reading, atMs: nowMs })
    if (reading === 'unknown') return
    const holding = this.processes.filter(({ reserved }) => (reserved[pool] ?? 0) > 0)
    const used = (processes: readonly Process[]) =>
      processes.reduce((bytes, { measured, reserved }) => bytes + ((measured ?? reserved)[pool] ?? 0), 0)
    const gone = holding.filter(({ state }) => state === 'gone')
    const staying = holding.filter(({ state }) => state !== 'gone')
    const missing = reading.totalBytes - (this.foreign.get(pool) ?? 0) - used(staying) - reading.freeBytes
    if (missing <= 0.25 * used(gone)) for (const process of gone) process.reserved = { ...process.reserved, [pool]: 0 }
    const isQuiet = holding.every(({ state, reserved }) => state === 'ready' || (reserved[pool] ?? 0) === 0)
    if (isQuiet) this.foreign.set(pool, Math.max(0, reading.totalBytes - reading.freeBytes - used(staying)))
  }

  kept(pool: PoolId, totalBytes: number): number {
    const { keepBytes } = this.settings[pool] ?? {}
    if (keepBytes !== undefined) return keepBytes
    return pool === 'host' ? Math.max(2048 * MiB, 0.1 * totalBytes) : Math.max(512 * MiB, 0.03 * totalBytes)
  }

  reserved(pool: PoolId): number {
    return this.processes.reduce((bytes, { reserved }) => bytes + (reserved[pool] ?? 0), 0)
  }

  live(model: string): Process | undefined {
    return this.processes.find((process) => process.model === model && process.state !== 'gone')
  }
}

export function measure(process: Process, measured: MemoryBytes): void {
  process.measured = maximum(process.measured ?? {}, measured)
  process.reserved = maximum(process.reserved, measured)
}

export function maximum(one: MemoryBytes, other: MemoryBytes): MemoryBytes {
  const pools = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries([...pools].map((pool) => [pool, Math.max(one[pool] ?? 0, other[pool] ?? 0)]))
}
