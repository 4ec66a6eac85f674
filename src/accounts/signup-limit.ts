import type { Database } from 'bun:sqlite'

export const signupsPerNetworkAndDay = 5
const dayMs = 24 * 60 * 60 * 1000

export interface SignupLimitOptions {
  readonly database: Database
  readonly clock: () => number
}

type Counted = { ip: string; day: string }

/** How many signups a client's network has tried on a day (UTC): each tells whether an address has an account. */
export class SignupLimit {
  readonly #options: SignupLimitOptions

  constructor(options: SignupLimitOptions) {
    this.#options = options
  }

  /** Counts one more try. Call it in a transaction. False: there were enough today. */
  count(network: string): boolean {
    const row = this.#options.database
      .query<{ count: number }, [Counted]>(
        `INSERT INTO signups (ip, day, count) VALUES (:ip, :day, 1)
         ON CONFLICT (ip, day) DO UPDATE SET count = count + 1 WHERE count < ${signupsPerNetworkAndDay}
         RETURNING count`,
      )
      .get(this.#counted(network))
    return row !== null
  }

  /** Whether `count` would say no now. */
  isReached(network: string): boolean {
    const row = this.#options.database
      .query<{ count: number }, [Counted]>('SELECT count FROM signups WHERE ip = :ip AND day = :day')
      .get(this.#counted(network))
    return (row?.count ?? 0) >= signupsPerNetworkAndDay
  }

  /** Seconds until the next day begins. */
  secondsToNextDay(): number {
    return Math.ceil((dayMs - (this.#options.clock() % dayMs)) / 1000)
  }

  #counted(network: string): Counted {
    return { ip: network, day: new Date(this.#options.clock()).toISOString().slice(0, 10) }
  }
}
