/** Prompts and answers of earlier requests, kept outside the KV cache for requests that begin alike. */
import type { HeldPrefix } from './prefix-cache.ts'

export interface ParkedPrefix extends HeldPrefix {
  /** The sequence's keys and values as the decoder saved them. */
  readonly state: Uint8Array
  /** Time of its last use. */
  usedMs: number
  /** A request has continued it, so another one may. */
  wasContinued?: boolean
}

/**
 * Parked prefixes with at most `limitBytes` of states. The least recently used are evicted first. A continued one is
 * spared once: many documents that are read a single time do not displace conversations.
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

  /** Keeps a prefix, if it fits at all, in place of those that it only continues. */
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

  /** Spares a prefix: it moves to the end, and no longer counts as continued. */
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
