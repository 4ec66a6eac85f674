/** Prediction of whether a model fits into this machine beside the loaded ones, for downloads and loads. Pure. */
import type { MemoryBytes, PoolId } from '../core/memory.ts'
import type { PoolReport } from '../engines/pool.ts'
import type { MemoryReadings } from '../machine/read-memory.ts'
import { keptBytes, newPool } from '../scheduler/pool.ts'
import type { PoolSettings } from '../scheduler/settings.ts'

/** Memory of this machine with the space that models may use. */
export interface PoolRoom {
  readonly id: PoolId
  readonly totalBytes: number
  /** Free bytes that models may use. */
  readonly freeBytes: number
  /** Bytes that unloading all models would free. */
  readonly heldBytes: number
  /** Bytes that other programs used at the last reading. */
  readonly foreignBytes: number
}

/**
 * Memory need of a model: `measured` while it was loaded, `estimated` by its engine before a load, or `guessed` from
 * the size of its files.
 */
export interface MemoryNeed {
  readonly bytes: MemoryBytes
  readonly source: 'measured' | 'estimated' | 'guessed'
}

export interface Fit {
  /** `fits` means beside the loaded models, `alone` once they are unloaded. */
  readonly verdict: 'fits' | 'alone' | 'too-large'
  /** Memory with the least space left. */
  readonly pool: PoolId
  readonly needBytes: number
  readonly freeBytes: number
  readonly heldBytes: number
}

/**
 * Returns the space in all memories. `report` comes from the engine pool; `readings` fill in memories that it has not
 * read yet.
 */
export function poolRooms(
  { pools }: Pick<PoolReport, 'pools'>,
  readings: MemoryReadings,
  settings: PoolSettings,
): PoolRoom[] {
  const ids = [...new Set([...pools.map(({ id }) => id), ...Object.keys(readings)])]
  return ids.flatMap((id) => {
    const known = pools.find((pool) => pool.id === id)
    if (known?.totalBytes !== undefined) {
      const { totalBytes, roomBytes, reservedBytes, foreignBytes } = known
      const freeBytes = Math.max(0, roomBytes - reservedBytes)
      return [{ id, totalBytes, freeBytes, heldBytes: roomBytes - freeBytes, foreignBytes }]
    }
    const reading = readings[id]
    if (reading === undefined || reading === 'unknown') return []
    // Nothing is loaded, so other programs use all memory that is in use.
    const { totalBytes, freeBytes } = reading
    const kept = keptBytes({ ...newPool(id, settings), totalBytes })
    const { limitBytes = Number.POSITIVE_INFINITY } = settings
    const room = Math.max(0, Math.min(limitBytes, freeBytes - kept))
    return [{ id, totalBytes, freeBytes: room, heldBytes: 0, foreignBytes: totalBytes - freeBytes }]
  })
}

/** Guessed need of an engine besides the files' bytes: caches, buffers, the process. */
const guessed = { factor: 1.1, processBytes: 300 * 1024 ** 2 }

/**
 * Returns a guess if nothing else is known: all memory in the device with the most space if it fits there, otherwise in
 * host memory.
 */
export function guessNeed(fileBytes: number, rooms: readonly PoolRoom[], mayUseDevices: boolean): MemoryNeed {
  const bytes = Math.ceil(fileBytes * guessed.factor) + guessed.processBytes
  const devices = mayUseDevices ? rooms.filter(({ id }) => id !== 'host') : []
  const roomiest = devices.toSorted((left, right) => obtainable(right) - obtainable(left))[0]
  const pool = roomiest !== undefined && obtainable(roomiest) >= bytes ? roomiest.id : 'host'
  return { bytes: { [pool]: bytes }, source: 'guessed' }
}

/** Returns the guessed fit of a model that is not here, from the bytes of its files; undefined without memory. */
export function downloadFit(fileBytes: number, rooms: readonly PoolRoom[], mayUseDevices: boolean): Fit | undefined {
  return fileBytes === 0 ? undefined : fitOf(guessNeed(fileBytes, rooms, mayUseDevices), rooms)
}

/** Returns the fit; undefined if a needed memory is unknown. */
export function fitOf({ bytes }: MemoryNeed, rooms: readonly PoolRoom[]): Fit | undefined {
  const parts = Object.entries(bytes).filter(([, needBytes]) => needBytes > 0)
  const fits = parts.flatMap(([pool, needBytes]) => {
    const room = rooms.find(({ id }) => id === pool)
    if (room === undefined) return []
    const { freeBytes, heldBytes } = room
    const verdict = needBytes <= freeBytes ? 'fits' : needBytes <= obtainable(room) ? 'alone' : 'too-large'
    return [{ verdict, pool, needBytes, freeBytes, heldBytes } as const]
  })
  if (fits.length < parts.length) return undefined
  const slack = ({ needBytes, freeBytes, heldBytes }: Fit) => freeBytes + heldBytes - needBytes
  return fits.toSorted((left, right) => rank[right.verdict] - rank[left.verdict] || slack(left) - slack(right))[0]
}

const rank: Readonly<Record<Fit['verdict'], number>> = { fits: 0, alone: 1, 'too-large': 2 }

function obtainable({ freeBytes, heldBytes }: PoolRoom): number {
  return freeBytes + heldBytes
}
