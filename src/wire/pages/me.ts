import { nanoToDecimal } from '../../core/money.ts'
import { type AccountBody, type AccountFacts, toAccount } from '../account.ts'

/** The answer of GET me: that of GET /v1/account, and what the home page shows. */
export interface Me extends AccountBody {
  readonly has_password: boolean
  /** Those that hold money. */
  readonly running_requests: number
  readonly spent_7d_usd: string
  /** How long the available money lasts at the rate of the last seven days; null: nothing was spent, or nothing is charged. */
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
