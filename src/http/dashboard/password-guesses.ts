import { AttemptLimit } from './attempt-limit.ts'
import { requireFewer } from './require-fewer.ts'

const minuteMs = 60_000

export interface Guess {
  /** Whose password it may be: a mail address or an account's id. */
  readonly account: string
  /** Where the guess comes from. */
  readonly network: string
}

/**
 * Bounds how often passwords are guessed. Who guesses is slowed down, by network: the owner can still sign in from another
 * one. The bound for all networks together is far above that, and is none for mailed links, which cannot be guessed.
 */
export class PasswordGuesses {
  readonly #ofNetworkForAccount: AttemptLimit
  readonly #ofNetwork: AttemptLimit
  readonly #forAccount: AttemptLimit

  constructor(monotonicMs: () => number) {
    const limit = (most: number, minutes: number) =>
      new AttemptLimit({ most, windowMs: minutes * minuteMs, monotonicMs })
    this.#ofNetworkForAccount = limit(10, 15)
    this.#ofNetwork = limit(30, 15)
    this.#forAccount = limit(200, 60)
  }

  /** Counts a guess before it is checked; what it returns takes it back when it was right. Throws ApiError 429. */
  begin({ account, network }: Guess): () => void {
    const counted = [
      { limit: this.#ofNetwork, key: network },
      { limit: this.#ofNetworkForAccount, key: `${network} ${account}` },
      { limit: this.#forAccount, key: account },
    ]
    for (const { limit, key } of counted) requireFewer(limit, key, 'or sign in by a mailed link')
    return () => {
      for (const { limit, key } of counted) limit.giveBack(key)
    }
  }
}
