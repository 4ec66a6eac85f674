import type { Budget } from '../billing/budgets.ts'
import { affordable } from '../billing/cost.ts'
import { ApiError } from '../core/errors.ts'
import type { Pricing } from '../core/model.ts'
import { nanoToDecimal } from '../core/money.ts'
import type { Dimension } from '../core/usage.ts'
import type { Estimate } from '../engines/protocol/request-events.ts'

interface Shortage {
  readonly neededNanoUsd: number
  readonly availableNanoUsd: number
  readonly pricing: Pricing
  readonly billingUrl: string
  /** Budget that leaves no more, if one does. */
  readonly budget?: Budget | undefined
  /** Estimate of a request whose prompt, texts or recording have been measured. */
  readonly estimate?: Estimate | undefined
  /** Dimension that grows with the answer, and the number of answers that grow in parallel */
  readonly slices?: { readonly dimension: Dimension; readonly parts: number } | undefined
}

/**
 * Returns ApiError 402 with the needed and the available amount, what the latter would pay for, and where to add funds
 * or when the budget begins anew.
 */
export function insufficientBalance(shortage: Shortage): ApiError {
  const { neededNanoUsd, availableNanoUsd, billingUrl, budget } = shortage
  if (budget !== undefined) return budgetExceeded(shortage, budget)
  const parts = [
    `This request needs up to $${nanoToDecimal(neededNanoUsd)} and $${nanoToDecimal(availableNanoUsd)} is available.`,
    ...whatThatPaysFor(shortage),
    `Add funds at ${billingUrl}`,
  ]
  return new ApiError('insufficient_balance', parts.join(' '), { code: 'insufficient_balance' })
}

function budgetExceeded(shortage: Shortage, { subject, per, limitNanoUsd, resetMs }: Budget): ApiError {
  const { neededNanoUsd, availableNanoUsd } = shortage
  const parts = [
    `This request needs up to $${nanoToDecimal(neededNanoUsd)}, and the budget of ${subjectText(subject)}, ` +
      `$${nanoToDecimal(limitNanoUsd)} a ${per}, has $${nanoToDecimal(availableNanoUsd)} left.`,
    ...whatThatPaysFor(shortage),
    `It begins anew at ${timeText(resetMs)}. Whoever set it can raise it.`,
  ]
  return new ApiError('insufficient_balance', parts.join(' '), { code: 'budget_exceeded' })
}

/** Returns how errors name an account or a key that a limit belongs to. */
export function subjectText(subject: string): string {
  return subject.startsWith('key_') ? `the API key ${subject}` : `the account ${subject}`
}

/** Returns a time in whole seconds: `2027-02-01T00:00:00Z`. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

function whatThatPaysFor({ pricing, estimate, slices, availableNanoUsd }: Shortage): string[] {
  if (estimate === undefined) return []
  if (slices === undefined) return [whatIsTooMuch(pricing, estimate)]
  const { dimension, parts } = slices
  const tokens = Math.floor(affordable(pricing, estimate.most, dimension, availableNanoUsd) / parts)
  if (tokens < 1) return [`That does not pay for ${promptText(estimate, 'the ')} tokens of the prompt and an answer.`]
  const each = parts === 1 ? '' : ` for each of ${parts} answers`
  return [
    `That pays for ${tokens} output tokens${each} after ${promptText(estimate)} of the prompt: ask for at most that many.`,
  ]
}

/** Returns the sentence that names what the balance does not pay for, if a request is paid in advance. */
function whatIsTooMuch({ unit }: Pricing, estimate: Estimate): string {
  const { characters, audioMs, images } = estimate.most
  switch (unit) {
    case 'minute':
      return `That does not pay for the ${audioMs / 1000} s of this recording: send a shorter one.`
    case '1M_characters':
      return `That does not pay for the ${characters} characters of this text: send a shorter one.`
    case 'image':
      return `That does not pay for ${images === 1 ? 'a picture' : `${images} pictures: ask for fewer`}.`
    case '1M_tokens':
      return `That does not pay for ${promptText(estimate, 'the ')} tokens of this request: send fewer or shorter texts.`
  }
}

/** Returns the number of prompt tokens, or the number that money is held for if not yet known. */
function promptText({ least, most }: Estimate, article = ''): string {
  return least.promptTokens === most.promptTokens ? `${article}${most.promptTokens}` : `up to ${most.promptTokens}`
}
