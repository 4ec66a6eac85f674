/** The answer of GET /account: an account, its money in USD, and what it did last. */

import { nanoToDecimal, nanoToUsd } from '../core/money.ts'
import type { Consumption } from '../core/usage.ts'

export interface AccountFacts {
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

export interface UsageFacts {
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

/** Each amount as a number and, exact to the last digit, as `…_usd` text. */
export function toAccount({ account, usage, billingUrl }: AccountFacts): object {
  const { balanceNanoUsd, heldNanoUsd } = account
  const availableNanoUsd = balanceNanoUsd - heldNanoUsd
  return {
    object: 'account',
    id: account.id,
    email: account.email ?? null,
    name: account.name,
    created: Math.floor(account.createdMs / 1000),
    confirmed: account.confirmedMs !== undefined,
    is_unmetered: account.isUnmetered,
    currency: 'USD',
    balance: nanoToUsd(balanceNanoUsd),
    balance_usd: nanoToDecimal(balanceNanoUsd),
    held: nanoToUsd(heldNanoUsd),
    held_usd: nanoToDecimal(heldNanoUsd),
    available: nanoToUsd(availableNanoUsd),
    available_usd: nanoToDecimal(availableNanoUsd),
    recent_usage: usage.map(toUsageRow),
    top_up_url: billingUrl,
  }
}

function toUsageRow({
  requestId,
  endpoint,
  model,
  keyId,
  used,
  costNanoUsd,
  chargedNanoUsd,
  finish,
  createdMs,
}: UsageFacts) {
  return {
    request_id: requestId,
    created: Math.floor(createdMs / 1000),
    endpoint,
    model,
    key_id: keyId,
    prompt_tokens: used.promptTokens,
    cached_tokens: used.cachedTokens,
    completion_tokens: used.completionTokens,
    reasoning_tokens: used.reasoningTokens,
    characters: used.characters,
    audio_seconds: used.audioMs / 1000,
    cost_usd: nanoToDecimal(costNanoUsd),
    charged_usd: nanoToDecimal(chargedNanoUsd),
    finish,
  }
}
