import type { StoreOptions } from '../db/rows.ts'

export const signupsPerNetworkAndDay = 5
const dayMs = 24 * 60 * 60 * 1000

type Counted = { ip: string; day: string }

/** Limits the signups of a client's network in a day (UTC), since each shows whether an address has an account. */
export class SignupLimit {
  readonly #options: Pick<StoreOptions, 'database' | 'clock'>

  constructor(options: Pick<StoreOptions, 'database' | 'clock'>) {
    this.#options = options
  }

  /** Counts a signup. Call it in a transaction. False: the limit is reached. */
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

  /** Whether `count` would return false now. */
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
