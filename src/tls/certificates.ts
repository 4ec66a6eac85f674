/** Certificate in use: looks for a newer one each minute, and warns before it ends. */
import { dayMs } from '../core/durations.ts'
import { errorText } from '../core/error-text.ts'
import type { CertificateFacts, CertificatePair } from './certificate-pair.ts'

/** Way to get certificates. */
export interface CertificateSource {
  /** Returns the pair for the start. Rejects with CertificateError if the server cannot start. */
  first(): Promise<CertificatePair>
  /**
   * Returns a pair to use in place of another one, or undefined if that is still right. Rejects if there should be a new
   * one and is none.
   */
  next(current: CertificatePair): Promise<CertificatePair | undefined>
}

interface CertificatesOptions {
  readonly source: CertificateSource
  readonly clock: () => number
  /** Uses a pair from now on. */
  readonly onPair: (pair: CertificatePair) => void
  /** Called once for each reason why there is no new pair. */
  readonly onProblem: (reason: string) => void
  /** Called once a day while the pair ends soon. */
  readonly onExpiring: (pair: CertificatePair) => void
}

const everyMs = 60_000
/** Longest time before its end at which a certificate counts as ending soon; a quarter of its life if that is shorter. */
const soonMs = 14 * dayMs

export class Certificates {
  readonly #options: CertificatesOptions
  #current: CertificatePair | undefined
  #problem: string | undefined
  #warnedMs = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined
  #looking: Promise<void> | undefined

  constructor(options: CertificatesOptions) {
    this.#options = options
  }

  /** Gets the first pair. Rejects with CertificateError. */
  async start(): Promise<CertificatePair> {
    this.#current = await this.#options.source.first()
    this.#timer = setInterval(() => void this.look(), everyMs)
    return this.#current
  }

  get current(): CertificatePair | undefined {
    return this.#current
  }

  /** Reason why there is no newer pair, from the last look. Undefined if all is well. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Looks for a newer pair and uses it. Never rejects; a look that is under way counts. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #look(): Promise<void> {
    const { source, onPair, onProblem } = this.#options
    const current = this.#current
    if (current === undefined) return
    try {
      const next = await source.next(current)
      // First, because what cannot be used is no current pair, and is tried again.
      if (next !== undefined) onPair(next)
      this.#current = next ?? current
      this.#problem = undefined
    } catch (error) {
      const reason = errorText(error)
      if (reason !== this.#problem) onProblem(reason)
      this.#problem = reason
    }
    this.#warn()
  }

  #warn(): void {
    const { clock, onExpiring } = this.#options
    const now = clock()
    if (this.#current === undefined || !endsSoon(this.#current.facts, now) || now - this.#warnedMs < dayMs) return
    this.#warnedMs = now
    onExpiring(this.#current)
  }
}

/** Returns whether a certificate ends so soon that somebody has to act. */
export function endsSoon({ validFromMs, validToMs }: CertificateFacts, nowMs: number): boolean {
  return validToMs - nowMs < Math.min(soonMs, (validToMs - validFromMs) / 4)
}
