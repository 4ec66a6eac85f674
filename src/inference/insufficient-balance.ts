import { affordableOutputTokens } from '../billing/cost.ts'
import { ApiError } from '../core/errors.ts'
import type { Pricing } from '../core/model.ts'
import { nanoToDecimal } from '../core/money.ts'

export interface Shortage {
  readonly neededNanoUsd: number
  readonly availableNanoUsd: number
  readonly pricing: Pricing
  readonly billingUrl: string
  /** Of a prompt that has been counted. */
  readonly promptTokens?: number | undefined
  /** Of texts that are embedded or scored, all together. */
  readonly encodedTokens?: number | undefined
  /** Answers to the one prompt. */
  readonly choices?: number
}

/** ApiError 402 that says what is needed, what is there, what that would pay for, and where to add to it. */
export function insufficientBalance(shortage: Shortage): ApiError {
  const { neededNanoUsd, availableNanoUsd, billingUrl } = shortage
  const parts = [
    `This request needs up to $${nanoToDecimal(neededNanoUsd)} and $${nanoToDecimal(availableNanoUsd)} is available.`,
    ...affordable(shortage),
    `Add funds at ${billingUrl}`,
  ]
  return new ApiError('insufficient_balance', parts.join(' '), { code: 'insufficient_balance' })
}

function affordable({ pricing, promptTokens, encodedTokens, choices = 1, availableNanoUsd }: Shortage): string[] {
  if (encodedTokens !== undefined) {
    return [`That does not pay for the ${encodedTokens} tokens of this request: send fewer or shorter texts.`]
  }
  if (promptTokens === undefined) return []
  const tokens = Math.floor(affordableOutputTokens(pricing, promptTokens, availableNanoUsd) / choices)
  if (tokens < 1) return [`That does not pay for the ${promptTokens} tokens of the prompt and an answer.`]
  const each = choices === 1 ? '' : ` for each of ${choices} answers`
  return [
    `That pays for ${tokens} output tokens${each} after ${promptTokens} of the prompt: ask for at most that many.`,
  ]
}
