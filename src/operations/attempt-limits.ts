import { minuteMs } from '../core/durations.ts'
import { OperationError } from './problem.ts'

interface AttemptLimitOptions {
  /** Attempts within the window. */
  readonly maximum: number
  readonly windowMs: number
  /** Milliseconds that never go back, unlike the time of day. */
  readonly monotonicMs: () => number
  /** A link leads in although the limit is reached. */
  readonly hasOtherWay?: boolean
  /** `changes` limits changes rather than attempts that may fail. */
  readonly reason?: 'attempts' | 'changes'
}

/** Limit of remembered keys, which bounds memory. The oldest windows are forgotten first. */
const maximumKeys = 50_000

interface Window {
  readonly startedMs: number
  count: number
}

/** Limits the number of attempts by key. In memory: a restart forgets the attempts. */
export class AttemptLimit {
  readonly #options: AttemptLimitOptions
  /** In the order in which their windows began. */
  readonly #windows = new Map<string, Window>()

  constructor(options: AttemptLimitOptions) {
    this.#options = options
  }

  /** Counts an attempt, before it is made. Throws OperationError `too_many_attempts`, or `too_many_changes`. */
  take(key: string): void {
    const { maximum, windowMs, monotonicMs, hasOtherWay = false, reason } = this.#options
    const now = monotonicMs()
    this.#forget(now)
    const window = this.#windows.get(key)
    if (window === undefined) {
      this.#windows.set(key, { startedMs: now, count: 1 })
      return
    }
    if (window.count >= maximum) {
      const retryAfterSeconds = Math.ceil((window.startedMs + windowMs - now) / 1000)
      if (reason === 'changes') throw new OperationError({ code: 'too_many_changes', retryAfterSeconds })
      throw new OperationError({ code: 'too_many_attempts', retryAfterSeconds, hasOtherWay })
    }
    window.count++
  }

  /** Takes back what `take` counted: the attempt was right. */
  giveBack(key: string): void {
    const window = this.#windows.get(key)
    if (window !== undefined && --window.count <= 0) this.#windows.delete(key)
  }

  #forget(now: number): void {
    for (const [key, { startedMs }] of this.#windows) {
      if (now - startedMs < this.#options.windowMs && this.#windows.size <= maximumKeys) return
      this.#windows.delete(key)
    }
  }
}

export type AttemptLimits = ReturnType<typeof attemptLimits>

/** Limits of tries at secrets, of mails and of changes. `monotonicMs`: milliseconds that never go back. */
export function attemptLimits(monotonicMs: () => number = () => performance.now()) {
  return {
    passwordGuesses: new PasswordGuesses(monotonicMs),
    /** Sign-in links that one network asks for. */
    linksOfNetworks: new AttemptLimit({ maximum: 20, windowMs: 60 * minuteMs, monotonicMs }),
    /** Voucher codes that one account tries. */
    voucherGuesses: new AttemptLimit({ maximum: 20, windowMs: 15 * minuteMs, monotonicMs }),
    writes: new Writes(monotonicMs),
    /** Sign-ins by a right password and changes of it, apart: a stolen session cannot use them up. */
    proofs: new Writes(monotonicMs),
  }
}

/**
 * Limits how often one account changes something, whatever that is: each change leaves rows for good. People stay far below it. The
 * command line has no limit.
 */
export class Writes {
  readonly #ofMinute: AttemptLimit
  readonly #longer: readonly AttemptLimit[]

  constructor(monotonicMs: () => number) {
    const limit = (maximum: number, minutes: number) =>
      new AttemptLimit({ maximum, windowMs: minutes * minuteMs, monotonicMs, reason: 'changes' })
    this.#ofMinute = limit(120, 1)
    this.#longer = [limit(1_000, 60), limit(3_000, 24 * 60)]
  }

  /** Counts a change before it is made, by the minute alone or also by hour and day. Throws OperationError `too_many_changes`. */
  take(accountId: string, by: 'minute' | 'day' = 'day'): void {
    this.#ofMinute.take(accountId)
    if (by === 'day') for (const limit of this.#longer) limit.take(accountId)
  }
}

export interface Guess {
  /** Id of the account, or the mail address or name that no account has. */
  readonly account: string
  /** Network that the guess comes from. */
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
