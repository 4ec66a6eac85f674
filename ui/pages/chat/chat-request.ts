/** Bodies of a conversation's requests. */
import { canRetry } from '../../api/failure.ts'
import { payer } from '../../api/payer.ts'
import type { Exchange } from './conversation.ts'
import { toMessages } from './messages.ts'
import { type Settings, settingFields } from './settings.ts'
import type { Step } from './step.ts'
import { readTools } from './tools.ts'

/** Conversation as a request is made from it. */
export interface RequestSource {
  readonly model: string
  readonly system: string
  readonly settings: Settings
  /** JSON text. */
  readonly tools: string
  readonly exchanges: readonly Exchange[]
  /** Column whose answers are sent. */
  readonly column: number
}

/** Returns the body of the request for the next answer. */
export function toRequest({ model, system, settings, tools: toolsText, exchanges, column }: RequestSource): object {
  const { tools } = readTools(toolsText)
  return {
    model,
    messages: toMessages({ system, exchanges, column }),
    stream: true,
    stream_options: { include_usage: true },
    ...settingFields(settings),
    ...(tools.length > 0 && { tools }),
  }
}

/**
 * Tells whether another request can give another answer than this step: the failure may pass, another account pays, it
 * has other money, or the request has changed.
 */
export function canDiffer(step: Step, request: () => object, balanceUsd: string | undefined): boolean {
  const failure = step.failure.value
  if (failure === undefined || canRetry(failure)) return true
  if (step.payer !== payer.value) return true
  const isOfMoney = failure.facts.code === 'insufficient_balance'
  if (isOfMoney && balanceUsd !== step.balanceUsd.value) return true
  return JSON.stringify(request()) !== JSON.stringify(step.request)
}
