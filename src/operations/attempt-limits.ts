import { AttemptLimit } from './attempt-limit.ts'

const minuteMs = 60_000

/** How often clients may try what could be guessed, or what sends mails. */
export interface AttemptLimits {
  readonly passwordGuesses: PasswordGuesses
  /** Sign-in links that one network asks for. */
  readonly linksOfNetworks: AttemptLimit
  /** Voucher codes that one account tries. */
  readonly voucherGuesses: AttemptLimit
}

/** `monotonicMs`: milliseconds that never go back. */
export function attemptLimits(monotonicMs: () => number = () => performance.now()): AttemptLimits {
  return {
    passwordGuesses: new PasswordGuesses(monotonicMs),
    linksOfNetworks: new AttemptLimit({ maximum: 20, windowMs: 60 * minuteMs, monotonicMs }),
    voucherGuesses: new AttemptLimit({ maximum: 20, windowMs: 15 * minuteMs, monotonicMs }),
  }
}

export interface Guess {
  /** Whose password it may be: a mail address or an account's id. */
  readonly account: string
  /** Where the guess comes from. */
  readonly network: string
}

/**
 * Limits how often passwords are guessed, by network: an attacker is slowed down, and the owner can still sign in from
 * another network. The limit of an account over all networks is far higher. Mailed links have none: they cannot be guessed.
 */
export class PasswordGuesses {
  readonly #ofNetworkForAccount: AttemptLimit
  readonly #ofNetwork: AttemptLimit
  readonly #forAccount: AttemptLimit

  constructor(monotonicMs: () => number) {
    const limit = (maximum: number, minutes: number) =>
      new AttemptLimit({ maximum, windowMs: minutes * minuteMs, monotonicMs, hasOtherWay: true })
    this.#ofNetworkForAccount = limit(10, 15)
    this.#ofNetwork = limit(30, 15)
    this.#forAccount = limit(200, 60)
  }

  /** Counts a guess before it is checked; the result takes it back where it was right. Throws OperationError. */
  begin({ account, network }: Guess): () => void {
    const counted = [
      { limit: this.#ofNetwork, key: network },
      { limit: this.#ofNetworkForAccount, key: `${network} ${account}` },
      { limit: this.#forAccount, key: account },
    ]
    for (const { limit, key } of counted) limit.take(key)
    return () => {
      for (const { limit, key } of counted) limit.giveBack(key)
    }
  }
}
