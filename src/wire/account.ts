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
  /** Limits of the account and of the key. Absent where none are set. */
  readonly limits?: readonly LimitsBody[]
  readonly top_up_url: string
}

interface LimitsBody {
  /** Id of the account or the key */
  readonly subject: string
  readonly budgets: readonly {
    readonly per: 'day' | 'month'
    readonly limit_usd: string
    readonly spent_usd: string
    readonly held_usd: string
    readonly left_usd: string
    /** Unix seconds. */
    readonly resets: number
  }[]
  readonly requests_per_minute: number | null
  readonly requests_left: number | null
  readonly tokens_per_minute: number | null
  readonly tokens_left: number | null
  readonly parallel: number | null
  readonly running: number | null
  readonly models: readonly string[] | null
  readonly endpoints: readonly string[] | null
  readonly networks: readonly string[] | null
}

/** Limits of an account or a key, and what is left of them. Null where there is no limit. */
export interface LimitFacts {
  readonly subject: string
  readonly budgets: readonly {
    readonly per: 'day' | 'month'
    readonly limitNanoUsd: number
    readonly spentNanoUsd: number
    readonly heldNanoUsd: number
    readonly leftNanoUsd: number
    readonly resetMs: number
  }[]
  readonly requestsPerMinute: number | null
  readonly requestsLeft: number | null
  readonly tokensPerMinute: number | null
  readonly tokensLeft: number | null
  readonly parallel: number | null
  readonly running: number | null
  readonly models: readonly string[] | null
  readonly endpoints: readonly string[] | null
  readonly networks: readonly string[] | null
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
  /** Limits of the account and the key, where any are set */
  readonly limits: readonly LimitFacts[]
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

export function toAccount({ account, usage, billingUrl, limits }: AccountFacts): AccountBody {
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
    ...(limits.length > 0 && { limits: limits.map(toLimits) }),
    top_up_url: billingUrl,
  }
}

function toLimits({
  budgets,
  subject,
  models,
  endpoints,
  networks,
  parallel,
  running,
  ...rates
}: LimitFacts): LimitsBody {
  return {
    subject,
    budgets: budgets.map(({ per, limitNanoUsd, spentNanoUsd, heldNanoUsd, leftNanoUsd, resetMs }) => ({
      per,
      limit_usd: nanoToDecimal(limitNanoUsd),
      spent_usd: nanoToDecimal(spentNanoUsd),
      held_usd: nanoToDecimal(heldNanoUsd),
      left_usd: nanoToDecimal(leftNanoUsd),
      resets: resetMs / 1000,
    })),
    requests_per_minute: rates.requestsPerMinute,
    requests_left: rates.requestsLeft,
    tokens_per_minute: rates.tokensPerMinute,
    tokens_left: rates.tokensLeft,
    ...{ parallel, running, models, endpoints, networks },
  }
}

/** Returns an amount as a number and, exact to the last digit, as `…_usd` text. */
function toMoney<const Name extends string>(name: Name, nanoUsd: number) {
  const money = { [name]: nanoToUsd(nanoUsd), [`${name}_usd`]: nanoToDecimal(nanoUsd) }
  return money as Record<Name, number> & Record<`${Name}_usd`, string> // computed names lose their types
}
