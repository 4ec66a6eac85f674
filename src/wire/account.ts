/** The answer of GET /account: an account, its money in USD, and its latest activity. */
import { nanoToDecimal, nanoToUsd } from '../core/money.ts'
import type { Consumption } from '../core/usage.ts'
import { type Consumed, toConsumed } from './usage-report.ts'

interface AccountBody {
  readonly object: 'account'
  readonly id: string
  readonly email: string | null
  readonly name: string
  /** Unix seconds. */
  readonly created: number
  readonly confirmed: boolean
  readonly is_unmetered: boolean
  readonly currency: 'USD'
  readonly balance: number
  readonly balance_usd: string
  readonly held: number
  readonly held_usd: string
  readonly available: number
  readonly available_usd: string
  readonly recent_usage: readonly RecentUsage[]
  readonly top_up_url: string
}

interface RecentUsage extends Consumed {
  readonly request_id: string
  readonly created: number
  readonly endpoint: string
  readonly model: string
  readonly key_id: string
  readonly finish: string
}

interface AccountFacts {
  readonly account: {
    readonly id: string
    readonly email: string | undefined
    readonly name: string
    readonly isUnmetered: boolean
    readonly createdMs: number
    readonly confirmedMs: number | undefined
    readonly balanceNanoUsd: number
    readonly heldNanoUsd: number
  }
  /** The latest first. */
  readonly usage: readonly UsageFacts[]
  readonly billingUrl: string
}

interface UsageFacts {
  readonly requestId: string
  readonly endpoint: string
  readonly model: string
  readonly keyId: string
  readonly used: Consumption
  readonly costNanoUsd: number
  readonly chargedNanoUsd: number
  readonly finish: string
  readonly createdMs: number
}

export function toAccount({ account, usage, billingUrl }: AccountFacts): AccountBody {
  const { balanceNanoUsd, heldNanoUsd } = account
  return {
    object: 'account',
    id: account.id,
    email: account.email ?? null,
    name: account.name,
    created: Math.floor(account.createdMs / 1000),
    confirmed: account.confirmedMs !== undefined,
    is_unmetered: account.isUnmetered,
    currency: 'USD',
    ...toMoney('balance', balanceNanoUsd),
    ...toMoney('held', heldNanoUsd),
    ...toMoney('available', balanceNanoUsd - heldNanoUsd),
    recent_usage: usage.map((request) => ({
      request_id: request.requestId,
      created: Math.floor(request.createdMs / 1000),
      endpoint: request.endpoint,
      model: request.model,
      key_id: request.keyId,
      ...toConsumed(request.used, request),
      finish: request.finish,
    })),
    top_up_url: billingUrl,
  }
}

/** Returns an amount as a number and, exact to the last digit, as `…_usd` text. */
function toMoney<const Name extends string>(name: Name, nanoUsd: number) {
  const money = { [name]: nanoToUsd(nanoUsd), [`${name}_usd`]: nanoToDecimal(nanoUsd) }
  return money as Record<Name, number> & Record<`${Name}_usd`, string> // computed names lose their types
}
