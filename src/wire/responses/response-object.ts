import type { RequestEcho } from './request-echo.ts'
import type { ResponseError } from './to-response-error.ts'
import type { ResponseUsage } from './to-usage.ts'

/** What is the same in every state of one response. */
export interface ResponseIdentity {
  /** `resp_…` */
  readonly id: string
  /** Unix time in seconds. */
  readonly created: number
  /** The model id as the client spelled it. */
  readonly model: string
  readonly echo: RequestEcho
}

/** How far a response has come. */
export interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  readonly output: readonly object[]
  /** Unix time in seconds. */
  readonly completedAt?: number
  readonly usage?: ResponseUsage | undefined
  readonly error?: ResponseError
  readonly incompleteReason?: 'max_output_tokens'
}

/** The response as clients know it, with every field that their types require. It cannot be fetched later, so `store` is false. */
export function toResponse({ id, created, model, echo }: ResponseIdentity, state: ResponseState): object {
  const { status, completedAt, output, usage, error, incompleteReason } = state
  return {
    id,
    object: 'response',
    created_at: created,
    status,
    completed_at: completedAt ?? null,
    error: error ?? null,
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    model,
    output,
    usage: usage ?? null,
    ...echo,
    background: false,
    max_tool_calls: null,
    previous_response_id: null,
    service_tier: 'default',
    store: false,
    truncation: 'disabled',
  }
}
