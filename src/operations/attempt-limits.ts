import { minuteMs } from '../core/durations.ts'
import { OperationError } from './problem.ts'

interface AttemptLimitOptions {
  /** Attempts within the window. */
  readonly maximum: number
  readonly windowMs: number
  /** Returns milliseconds that never go back, unlike the time of day. */
  readonly monotonicMs: () => number
  /** True if a mailed link still works when the limit is reached. */
  readonly hasOtherWay?: boolean
  /** Reason of a refusal. `changes` for a limit on changes instead of attempts that may fail. */
  readonly reason?: 'attempts' | 'changes'
}

/** Most keys remembered, which bounds memory. The oldest windows are forgotten first. */
const maximumKeys = 50_000

interface Window {
  readonly startedMs: number
  count: number
}

/** Limits the number of attempts per key. Kept in memory, so that a restart forgets the attempts. */
export class AttemptLimit {
  readonly #options: AttemptLimitOptions
  /** Windows by key, in order of their start. */
  readonly #windows = new Map<string, Window>()

  constructor(options: AttemptLimitOptions) {
    this.#options = options
  }

  /** Counts an attempt before it is made. Throws OperationError `too_many_attempts` or `too_many_changes`. */
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

  /** Undoes the count of `take` for an attempt that was right. */
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

/**
 * Returns the limits of guesses at secrets, of mails and of changes. `monotonicMs`: returns milliseconds that never go
 * back.
 */
export function attemptLimits(monotonicMs: () => number = () => performance.now()) {
  return {
    passwordGuesses: new PasswordGuesses(monotonicMs),
    /** Limit of sign-in links that one network requests. */
    linksOfNetworks: new AttemptLimit({ maximum: 20, windowMs: 60 * minuteMs, monotonicMs }),
    /** Limit of voucher codes that one account tries. */
    voucherGuesses: new AttemptLimit({ maximum: 20, windowMs: 15 * minuteMs, monotonicMs }),
    codeGuesses: new CodeGuesses(monotonicMs),
    writes: new Writes(monotonicMs),
    /**
     * Limit of sign-ins with the right password and of changes of the password. Separate from `writes`, so that a
     * stolen session cannot use it up.
     */
    proofs: new Writes(monotonicMs),
  }
}

/**
 * Limits how often one account changes anything, since each change leaves rows for good. People stay far below the
 * limit. The command line has none.
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

  /**
   * Counts a change before it is made, in the current minute, or also in the hour and day. Throws OperationError
   * `too_many_changes`.
   */
  take(accountId: string, by: 'minute' | 'day' = 'day'): void {
    this.#ofMinute.take(accountId)
    if (by === 'day') for (const limit of this.#longer) limit.take(accountId)
  }
}

export interface Guess {
  /** Id of the account, or the mail address or name if no account has it. */
  readonly account: string
  /** Network from which the guess was sent. */
  readonly network: string
}

/**
 * Limits password guesses per network, so that an attacker is slowed down and the owner can still sign in from another
 * network. The limit per account over all networks is far higher. Mailed links have no limit, since they cannot be
 * guessed.
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

  /**
   * Counts a guess before it is checked. Returns a function that undoes this if the guess was right. Throws
   * OperationError.
   */
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

/**
 * Limits guesses of an account's second factor over all networks: who guesses knows the password, and of a million
 * codes three are right at a time.
 */
export class CodeGuesses {
  readonly #limits: readonly AttemptLimit[]

  constructor(monotonicMs: () => number) {
    const limit = (maximum: number, minutes: number) =>
      new AttemptLimit({ maximum, windowMs: minutes * minuteMs, monotonicMs, hasOtherWay: true })
    this.#limits = [limit(10, 15), limit(50, 24 * 60)]
  }

  /**
   * Counts a guess before it is checked. Returns a function that undoes this if the guess was right. Throws
   * OperationError.
   */
  begin(factor: string): () => void {
    for (const limit of this.#limits) limit.take(factor)
    return () => {
      for (const limit of this.#limits) limit.giveBack(factor)
    }
  }
}
