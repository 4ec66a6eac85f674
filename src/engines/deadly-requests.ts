/**
 * Requests that end engines. Their clients send them again, by themselves too: for a while they are refused at once, so that
 * one request of one client does not keep a model from all others.
 */
import { createHash } from 'node:crypto'
import type { Work } from '../core/work.ts'

/** Time after which a refused request may run again: the engine may have another version, or the fault was elsewhere. */
const rememberedMs = 10 * 60_000

/** Number of requests remembered; the oldest are forgotten first. */
const limit = 1000

export class DeadlyRequests {
  /** Hash of the request -> until when it is refused; in the order of these times. */
  readonly #untilMs = new Map<string, number>()

  /** Records work that has ended two engines, the second one alone. */
  note(work: Work, nowMs: number): void {
    const hash = hashOf(work)
    this.#untilMs.delete(hash)
    this.#untilMs.set(hash, nowMs + rememberedMs)
    for (const oldest of [...this.#untilMs.keys()].slice(0, -limit)) this.#untilMs.delete(oldest)
  }

  /** Reads the whole request, but only while any is refused. */
  has(work: Work, nowMs: number): boolean {
    for (const [hash, untilMs] of this.#untilMs) {
      if (untilMs > nowMs) return this.#untilMs.has(hashOf(work))
      this.#untilMs.delete(hash)
    }
    return false
  }
}

/** Returns the same hash for the same request, from any sender. Uploads as files never match. */
function hashOf({ kind, request }: Work): string {
  const hash = createHash('sha256').update(kind)
  const rest = JSON.stringify(request, (_, value: unknown) => {
    if (!(value instanceof Uint8Array)) return value
    hash.update(value)
    return undefined
  })
  return hash.update(rest).digest('hex')
}
