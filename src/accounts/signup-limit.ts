import { dayMs } from '../core/durations.ts'
import { Store } from '../db/rows.ts'

/** Limits per network and day (UTC). */
export interface SignupLimits {
  /** Signups that make an account. */
  readonly accounts: number
  /** Signups that make no account: each reveals whether an address has one. */
  readonly tries: number
}

/** Limits the signups of a client's network in a day (UTC). Writes belong in a transaction. */
export class SignupLimit extends Store {
  /** Returns the limit that is reached; undefined if none is. */
  reached(network: string, limits: SignupLimits): keyof SignupLimits | undefined {
    const sql = 'SELECT count AS accounts, tries FROM signups WHERE ip = :ip AND day = :day'
    const { accounts, tries } = this.first<SignupLimits>(sql, this.#counted(network)) ?? { accounts: 0, tries: 0 }
    if (accounts >= limits.accounts) return 'accounts'
    return tries >= limits.tries ? 'tries' : undefined
  }

  /** Counts a try, before the address is looked up. */
  countTry(network: string): void {
    const sql = `INSERT INTO signups (ip, day, count, tries) VALUES (:ip, :day, 0, 1)
      ON CONFLICT (ip, day) DO UPDATE SET tries = tries + 1`
    this.write(sql, this.#counted(network))
  }

  /** Counts a new account. Its signup, which `countTry` counted, then no longer counts as a try. */
  countAccount(network: string): void {
    const sql = `INSERT INTO signups (ip, day, count) VALUES (:ip, :day, 1)
      ON CONFLICT (ip, day) DO UPDATE SET count = count + 1, tries = max(0, tries - 1)`
    this.write(sql, this.#counted(network))
  }

  /** Returns the seconds until the next day begins. */
  secondsToNextDay(): number {
    return Math.ceil((dayMs - (this.clock() % dayMs)) / 1000)
  }

  #counted(network: string): { ip: string; day: string } {
    return { ip: network, day: new Date(this.clock()).toISOString().slice(0, 10) }
  }
}
