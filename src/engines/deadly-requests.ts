/**
 * Requests that end engines. Clients retry them, often automatically. Refusing them at once for a while keeps one
 * request from taking a model away from all other clients.
 */
import { createHash } from 'node:crypto'
import type { Work } from '../core/work.ts'

/** Time after which a refused request may run again: the engine may have been updated, or the fault was elsewhere. */
const rememberedMs = 10 * 60_000

/** Number of requests remembered; the oldest are forgotten first. */
const limit = 1000

export class DeadlyRequests {
  /** Time until which each request is refused, by its hash, in ascending order of time. */
  readonly #untilMs = new Map<string, number>()

  /** Records work that ended two engines, the second one while it ran alone. */
  note(work: Work, nowMs: number): void {
    const hash = hashOf(work)
    this.#untilMs.delete(hash)
    this.#untilMs.set(hash, nowMs + rememberedMs)
    for (const oldest of [...this.#untilMs.keys()].slice(0, -limit)) this.#untilMs.delete(oldest)
  }

  /** Returns whether a request is refused. Hashes the whole request only while any request is refused. */
  has(work: Work, nowMs: number): boolean {
    for (const [hash, untilMs] of this.#untilMs) {
      if (untilMs > nowMs) return this.#untilMs.has(hashOf(work))
      this.#untilMs.delete(hash)
    }
    return false
  }
}

/** Returns a hash that is equal for equal requests of any sender. Requests with uploaded files never match. */
function hashOf({ kind, request }: Work): string {
  const hash = createHash('sha256').update(kind)
  const rest = JSON.stringify(request, (_, value: unknown) => {
    if (!(value instanceof Uint8Array)) return value
    hash.update(value)
    return undefined
  })
  return hash.update(rest).digest('hex')
}
