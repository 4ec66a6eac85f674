/** Prompts and answers of earlier requests, kept outside the KV cache for requests that begin alike. */
import type { HeldPrefix } from './prefix-cache.ts'

export interface ParkedPrefix extends HeldPrefix {
  /** The sequence's keys and values as the decoder saved them. */
  readonly state: Uint8Array
  /** Time of its last use. */
  usedMs: number
  /** True if a request has continued it: another one may do so too. */
  wasContinued?: boolean
}

/**
 * Parked prefixes with at most `limitBytes` of states. Evicts the least recently used first, but spares a continued one
 * once: many documents that are read only once do not displace conversations.
 */
export class ParkedPrefixes {
  readonly #limitBytes: number
  /** Least recently used first. */
  readonly #prefixes = new Set<ParkedPrefix>()
  #bytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** The least recently used first. */
  get all(): readonly ParkedPrefix[] {
    return [...this.#prefixes]
  }

  /** Keeps a prefix, if it fits at all. Drops the shorter ones that it continues. */
  add(prefix: ParkedPrefix): void {
    if (prefix.state.length > this.#limitBytes) return
    for (const other of this.#prefixes) if (isContinuedBy(other, prefix)) this.#remove(other)
    this.#prefixes.add(prefix)
    this.#bytes += prefix.state.length
    for (const oldest of this.#prefixes) {
      if (this.#bytes <= this.#limitBytes) return
      if (oldest.wasContinued === true) this.#spare(oldest)
      else this.#remove(oldest)
    }
  }

  /** Notes that a prefix was of use, if it is still here. */
  touch(prefix: ParkedPrefix, usedMs: number): void {
    prefix.usedMs = usedMs
    prefix.wasContinued = true
    if (this.#prefixes.delete(prefix)) this.#prefixes.add(prefix)
  }

  /** Spares a prefix: moves it to the end, and no longer counts it as continued. */
  #spare(prefix: ParkedPrefix): void {
    prefix.wasContinued = false
    this.#prefixes.delete(prefix)
    this.#prefixes.add(prefix)
  }

  #remove(prefix: ParkedPrefix): void {
    this.#prefixes.delete(prefix)
    this.#bytes -= prefix.state.length
  }
}

function isContinuedBy(shorter: ParkedPrefix, longer: ParkedPrefix): boolean {
  return (
    shorter.accountId === longer.accountId &&
    shorter.units.length <= longer.units.length &&
    shorter.units.every((unit, index) => unit === longer.units[index])
  )
}

/** Saved states of sequences, moved between layouts of the KV cache. Pure. */

/** Bytes of a mark and the number of the sequence. */
const headerBytes = 8
const countBytes = 4
const firstCount = headerBytes + countBytes

/**
 * Returns the state in the form that a context of `caches` caches saves. Behind a header llama.cpp writes the number of
 * caches, then each one's count of cells, followed by the cells if there are any. A sequence has cells in one cache, so
 * layouts differ only by the empty counts around those. llama.cpp refuses to restore states of any memory other than a
 * plain KV cache.
 */
export function moveState(state: Uint8Array, caches: number): Uint8Array {
  if (state.length < firstCount) return state
  const view = new DataView(state.buffer, state.byteOffset, state.byteLength)
  const from = view.getUint32(headerBytes, true)
  if (from === caches || state.length < firstCount + countBytes * from) return state
  let empty = 0
  while (empty < from - 1 && view.getUint32(firstCount + countBytes * empty, true) === 0) empty++
  const cells = state.subarray(firstCount + countBytes * empty, state.length - countBytes * (from - 1 - empty))
  const moved = new Uint8Array(firstCount + cells.length + countBytes * (caches - 1))
  moved.set(state.subarray(0, headerBytes))
  new DataView(moved.buffer).setUint32(headerBytes, caches, true)
  moved.set(cells, firstCount)
  return moved
}
