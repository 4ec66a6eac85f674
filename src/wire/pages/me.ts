import { nanoToDecimal } from '../../core/money.ts'
import { type AccountBody, type AccountFacts, toAccount } from '../account.ts'

/** Answer of GET me: that of GET /v1/account and figures for the home page. */
export interface Me extends AccountBody {
  readonly has_password: boolean
  /** Requests that hold money. */
  readonly running_requests: number
  readonly spent_7d_usd: string
  /**
   * Days that the available money lasts at the rate of the last seven days. Null if nothing was spent or nothing is
   * charged.
   */
  readonly days_left: number | null
}

export interface MeFacts extends AccountFacts {
  readonly hasPassword: boolean
  readonly runningRequests: number
  readonly spent7DaysNanoUsd: number
  readonly daysLeft: number | undefined
}

export function toMe(facts: MeFacts): Me {
  return {
    ...toAccount(facts),
    has_password: facts.hasPassword,
    running_requests: facts.runningRequests,
    spent_7d_usd: nanoToDecimal(facts.spent7DaysNanoUsd),
    days_left: facts.daysLeft ?? null,
  }
}
