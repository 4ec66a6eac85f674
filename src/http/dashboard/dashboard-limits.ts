import { AttemptLimit } from './attempt-limit.ts'
import { PasswordGuesses } from './password-guesses.ts'

const minuteMs = 60_000

/** How often things may be tried at the dashboard. */
export interface DashboardLimits {
  readonly passwordGuesses: PasswordGuesses
  /** Sign-in links asked for by one client. */
  readonly linksOfClients: AttemptLimit
  /** Voucher codes tried by one account. */
  readonly voucherGuesses: AttemptLimit
}

/** `monotonicMs`: milliseconds that never go back. */
export function dashboardLimits(monotonicMs: () => number): DashboardLimits {
  return {
    passwordGuesses: new PasswordGuesses(monotonicMs),
    linksOfClients: new AttemptLimit({ most: 20, windowMs: 60 * minuteMs, monotonicMs }),
    voucherGuesses: new AttemptLimit({ most: 20, windowMs: 15 * minuteMs, monotonicMs }),
  }
}
