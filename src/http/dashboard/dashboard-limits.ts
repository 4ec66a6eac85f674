import { AttemptLimit } from './attempt-limit.ts'

const minuteMs = 60_000

/** How often things may be tried at the dashboard. */
export interface DashboardLimits {
  /** Passwords of one address. */
  readonly guesses: AttemptLimit
  /** Passwords and links tried by one client. */
  readonly guessesOfClients: AttemptLimit
  /** Sign-in links asked for by one client. */
  readonly linksOfClients: AttemptLimit
  /** Voucher codes tried by one account. */
  readonly voucherGuesses: AttemptLimit
}

export function dashboardLimits(clock: () => number): DashboardLimits {
  return {
    guesses: new AttemptLimit({ most: 10, windowMs: 15 * minuteMs, clock }),
    guessesOfClients: new AttemptLimit({ most: 30, windowMs: 15 * minuteMs, clock }),
    linksOfClients: new AttemptLimit({ most: 20, windowMs: 60 * minuteMs, clock }),
    voucherGuesses: new AttemptLimit({ most: 20, windowMs: 15 * minuteMs, clock }),
  }
}
