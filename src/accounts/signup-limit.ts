import type { Database } from 'bun:sqlite'
import ipaddr from 'ipaddr.js'

export const signupsPerAddressAndDay = 5
const dayMs = 24 * 60 * 60 * 1000

export interface SignupLimitOptions {
  readonly database: Database
  readonly clock: () => number
}

/** How many accounts a client address has made on a day (UTC). */
export class SignupLimit {
  readonly #options: SignupLimitOptions

  constructor(options: SignupLimitOptions) {
    this.#options = options
  }

  /** Counts one more account of this client. Call it in the transaction that makes it. False: there were enough today. */
  count(clientAddress: string): boolean {
    const { database, clock } = this.#options
    const key = { ip: networkOf(clientAddress), day: new Date(clock()).toISOString().slice(0, 10) }
    const row = database
      .query<{ count: number }, [typeof key]>(
        `INSERT INTO signups (ip, day, count) VALUES (:ip, :day, 1)
         ON CONFLICT (ip, day) DO UPDATE SET count = count + 1 WHERE count < ${signupsPerAddressAndDay}
         RETURNING count`,
      )
      .get(key)
    return row !== null
  }

  /** Seconds until the next day begins. */
  secondsToNextDay(): number {
    return Math.ceil((dayMs - (this.#options.clock() % dayMs)) / 1000)
  }
}

/** What one client has for itself: an IPv4 address, of IPv6 the /64. */
function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  const { parts } = ipaddr.IPv6.parse(address)
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
