import { Store } from '../db/rows.ts'

export const signupsPerNetworkAndDay = 5
const dayMs = 24 * 60 * 60 * 1000

/** Limits the signups of a client's network in a day (UTC), since each shows whether an address has an account. */
export class SignupLimit extends Store {
  /** Counts a signup. Call it in a transaction. False: the limit is reached. */
  count(network: string): boolean {
    const sql = `INSERT INTO signups (ip, day, count) VALUES (:ip, :day, 1)
      ON CONFLICT (ip, day) DO UPDATE SET count = count + 1 WHERE count < ${signupsPerNetworkAndDay}`
    return this.write(sql, this.#counted(network)) > 0
  }

  /** Whether `count` would return false now. */
  isReached(network: string): boolean {
    const sql = 'SELECT count FROM signups WHERE ip = :ip AND day = :day'
    return (this.first<{ count: number }>(sql, this.#counted(network))?.count ?? 0) >= signupsPerNetworkAndDay
  }

  /** Seconds until the next day begins. */
  secondsToNextDay(): number {
    return Math.ceil((dayMs - (this.clock() % dayMs)) / 1000)
  }

  #counted(network: string): { ip: string; day: string } {
    return { ip: network, day: new Date(this.clock()).toISOString().slice(0, 10) }
  }
}
