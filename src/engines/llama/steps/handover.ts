/**
 * Parked prefixes that outlive their process, written into a memory file for the next process of the model. Native code
 * gets back exactly its own bytes, or nothing.
 */
import { fstatSync, ftruncateSync, readSync, writeSync } from 'node:fs'
import type { NotePart } from '../../protocol/engine.ts'
import type { ParkedPrefix } from './parked-prefixes.ts'
import type { MediaUnits } from './prefix-cache.ts'

/** Minimum units of a prefix. Fewer are recomputed about as fast as a large state is moved twice. */
export const worthKeepingUnits = 512

/** Time limit of writing. A model that replaces this one waits that much longer. */
const writeLimitMs = 1_000

/** Bytes between two looks at the clock. */
const pieceBytes = 16 * 1024 * 1024

const unitBytes = Int32Array.BYTES_PER_ELEMENT

/** A prompt and its answer in the memory file. */
export type HandedPrefix = NotePart<{
  /** Account, or an account with its salt. */
  readonly owner: string
  /** Hash of its bytes. Changed or truncated ones must never reach native code. */
  readonly hash: bigint
  /** Number of its units, which come first; the saved state follows. */
  readonly units: number
  /** First position from which sliding windows are complete. */
  readonly windowStart: number
  /** Units that stand for parts of pictures, with the keys of these parts. */
  readonly pictures: readonly (readonly [unit: number, key: string])[]
}>

export interface HandoverSetup {
  readonly file: number
  /** Undefined if the model sees no pictures. */
  readonly media: MediaUnits | undefined
  readonly nowMs: () => number
}

/**
 * Writes valuable prefixes in the given order, as long as they fit the limit and the time, to an empty file. Frees each
 * written prefix at once, because its memory may be needed before this process ends.
 */
export function handOver(
  prefixes: Iterable<ParkedPrefix>,
  limitBytes: number,
  { file, media, nowMs }: HandoverSetup,
): readonly HandedPrefix[] {
  const deadlineMs = nowMs() + writeLimitMs
  const handed: HandedPrefix[] = []
  let end = 0
  for (const { units, accountId: owner, usedMs, windowStart, state } of prefixes) {
    const pictures = picturesIn(units, media)
    if (units.length < worthKeepingUnits || owner === undefined || pictures === undefined) continue
    const parts = [new Uint8Array(Int32Array.from(units).buffer), state]
    const bytes = units.length * unitBytes + state.length
    if (end + bytes > limitBytes) continue
    const isWritten = writeParts(file, end, parts, () => nowMs() < deadlineMs)
    if (!isWritten) break
    const idleMs = Math.max(0, nowMs() - usedMs)
    const label = { owner, hash: hashOf(parts), units: units.length, windowStart, pictures }
    handed.push({ bytes, idleMs, label })
    end += bytes
    free(state)
  }
  ftruncateSync(file, end)
  return handed
}

/** Reads handed-over prefixes, the least recently used first, and empties the file. */
export function* takeOver(
  handed: readonly HandedPrefix[],
  { file, media, nowMs }: HandoverSetup,
): Generator<ParkedPrefix> {
  let start = handed.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const prefix of handed.toReversed()) {
    start -= prefix.bytes
    const isThere = fstatSync(file).size >= start + prefix.bytes
    const read = isThere ? readPrefix(prefix, start, { file, media, nowMs }) : undefined
    ftruncateSync(file, start)
    if (read !== undefined) yield read
  }
  ftruncateSync(file, 0)
}

function readPrefix(
  { bytes, idleMs, label }: HandedPrefix,
  start: number,
  { file, media, nowMs }: HandoverSetup,
): ParkedPrefix | undefined {
  const { owner: accountId, units: count, hash, windowStart, pictures } = label
  if (pictures.length > 0 && media === undefined) return undefined
  const numbers = new Int32Array(count)
  const state = new Uint8Array(bytes - count * unitBytes)
  const parts = [new Uint8Array(numbers.buffer), state]
  let position = start
  for (const part of parts) {
    for (let offset = 0; offset < part.length; ) {
      const length = readSync(file, part, offset, part.length - offset, position)
      if (length === 0) return undefined
      offset += length
      position += length
    }
  }
  if (hashOf(parts) !== hash) return undefined
  const renamed = new Map(pictures.map(([unit, key]) => [unit, media?.unitOf(key) ?? unit]))
  const units = Array.from(numbers, (unit) => renamed.get(unit) ?? unit)
  return { units, accountId, windowStart, state, usedMs: nowMs() - idleMs }
}

/** Writes the parts. Returns false if there is no time or no memory for all of them. */
function writeParts(file: number, start: number, parts: readonly Uint8Array[], hasTime: () => boolean): boolean {
  let position = start
  try {
    for (const part of parts) {
      for (let offset = 0; offset < part.length; ) {
        if (!hasTime()) return false
        const length = writeSync(file, part, offset, Math.min(pieceBytes, part.length - offset), position)
        offset += length
        position += length
      }
    }
    return true
  } catch {
    return false // the system has no memory for it
  }
}

/** Frees the memory at once. The garbage collector would do it only after the process. */
function free({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** Returns the pictures of the units; undefined if one of them is forgotten. */
function picturesIn(
  units: readonly number[],
  media: MediaUnits | undefined,
): readonly (readonly [number, string])[] | undefined {
  const pictures = [...new Set(units.filter((unit) => unit < 0))].map((unit) => [unit, media?.keyOf(unit)] as const)
  const known = pictures.flatMap(([unit, key]) => (key === undefined ? [] : [[unit, key] as const]))
  return known.length === pictures.length ? known : undefined
}

function hashOf(parts: readonly Uint8Array[]): bigint {
  return parts.reduce((hash, part) => Bun.hash.xxHash3(part, hash), 0n)
}
