/** Whether a model fits into this machine beside what is loaded: said before a download or a load. Pure. */
import type { MemoryBytes, PoolId } from '../core/memory.ts'
import type { PoolReport } from '../engines/pool.ts'
import type { MemoryReadings } from '../machine/read-memory.ts'
import { keptBytes, newPool } from '../scheduler/pool.ts'
import type { PoolSettings } from '../scheduler/settings.ts'

/** A memory of this machine as models may use it now. */
export interface PoolRoom {
  readonly id: PoolId
  readonly totalBytes: number
  /** What models may have that nobody has. */
  readonly freeBytes: number
  /** What unloading the idle models would give back; pinned ones stay. */
  readonly idleBytes: number
  /** Use by other programs, as it was read last. */
  readonly foreignBytes: number
}

/** `measured`: while it was loaded; `estimated`: told by its engine before a load; `guessed`: from the size of its files. */
export interface MemoryNeed {
  readonly bytes: MemoryBytes
  readonly source: 'measured' | 'estimated' | 'guessed'
}

export interface Fit {
  /** `unload`: when idle models make room. */
  readonly verdict: 'fits' | 'unload' | 'too-large'
  /** The memory in which it is tightest. */
  readonly pool: PoolId
  readonly needBytes: number
  readonly freeBytes: number
  readonly idleBytes: number
}

/** The rooms of all memories. `report`: what the pool of engines knows; a memory that it has not read yet is taken from `readings`. */
export function poolRooms(
  { pools, engines }: Pick<PoolReport, 'pools' | 'engines'>,
  readings: MemoryReadings,
  settings: PoolSettings,
): PoolRoom[] {
  const ids = [...new Set([...pools.map(({ id }) => id), ...Object.keys(readings)])]
  return ids.flatMap((id) => {
    const known = pools.find((pool) => pool.id === id)
    const idleBytes = engines
      .filter(({ running, waiting, isPinned }) => running + waiting === 0 && !isPinned)
      .reduce((sum, { reservedBytes }) => sum + (reservedBytes[id] ?? 0), 0)
    if (known?.totalBytes !== undefined) {
      const { totalBytes, roomBytes, reservedBytes, foreignBytes } = known
      return [{ id, totalBytes, freeBytes: Math.max(0, roomBytes - reservedBytes), idleBytes, foreignBytes }]
    }
    const reading = readings[id]
    if (reading === undefined || reading === 'unknown') return []
    // Nothing is loaded, so what is in use is used by others.
    const { totalBytes, freeBytes } = reading
    const kept = keptBytes({ ...newPool(id, settings), totalBytes })
    const { limitBytes = Number.POSITIVE_INFINITY } = settings
    const room = Math.max(0, Math.min(limitBytes, freeBytes - kept))
    return [{ id, totalBytes, freeBytes: room, idleBytes, foreignBytes: totalBytes - freeBytes }]
  })
}

/** What engines need beside the files' bytes: caches, buffers, the process. */
const guessed = { factor: 1.1, processBytes: 300 * 1024 ** 2 }

/** A guess where nothing else is known: all of it in the device that has the most room for it, else in the host's memory. */
export function guessNeed(fileBytes: number, rooms: readonly PoolRoom[], mayUseDevices: boolean): MemoryNeed {
  const bytes = Math.ceil(fileBytes * guessed.factor) + guessed.processBytes
  const devices = mayUseDevices ? rooms.filter(({ id }) => id !== 'host') : []
  const roomiest = devices.toSorted((left, right) => obtainable(right) - obtainable(left))[0]
  const pool = roomiest !== undefined && obtainable(roomiest) >= bytes ? roomiest.id : 'host'
  return { bytes: { [pool]: bytes }, source: 'guessed' }
}

/** Undefined where nothing is known of a memory that it needs. */
export function fitOf({ bytes }: MemoryNeed, rooms: readonly PoolRoom[]): Fit | undefined {
  const parts = Object.entries(bytes).filter(([, needBytes]) => needBytes > 0)
  const fits = parts.flatMap(([pool, needBytes]) => {
    const room = rooms.find(({ id }) => id === pool)
    if (room === undefined) return []
    const { freeBytes, idleBytes } = room
    const verdict = needBytes <= freeBytes ? 'fits' : needBytes <= obtainable(room) ? 'unload' : 'too-large'
    return [{ verdict, pool, needBytes, freeBytes, idleBytes } as const]
  })
  if (fits.length < parts.length) return undefined
  const slack = ({ needBytes, freeBytes, idleBytes }: Fit) => freeBytes + idleBytes - needBytes
  return fits.toSorted((left, right) => rank[right.verdict] - rank[left.verdict] || slack(left) - slack(right))[0]
}

const rank: Readonly<Record<Fit['verdict'], number>> = { fits: 0, unload: 1, 'too-large': 2 }

function obtainable({ freeBytes, idleBytes }: PoolRoom): number {
  return freeBytes + idleBytes
}
