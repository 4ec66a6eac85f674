import type { ApiError } from '../../core/errors.ts'
import type { Usage } from '../../core/usage.ts'
import type { RequestEcho } from './request-echo.ts'

/** Fields common to every state of one response. */
export interface ResponseIdentity {
  /** Id such as `resp_…`. */
  readonly id: string
  /** Unix time in seconds. */
  readonly created: number
  /** Model id as the client spelled it. */
  readonly model: string
  readonly echo: RequestEcho
}

/** State of a response. */
export interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  readonly output: readonly object[]
  /** Unix time in seconds. */
  readonly completedAt?: number
  readonly usage?: Usage | undefined
  readonly error?: ApiError
  readonly incompleteReason?: 'max_output_tokens'
}

/**
 * Returns the response with every field that clients' types require. It cannot be fetched later, so `store` is false.
 */
export function toResponse({ id, created, model, echo }: ResponseIdentity, state: ResponseState): object {
  const { status, completedAt, output, usage, error, incompleteReason } = state
  return {
    id,
    object: 'response',
    created_at: created,
    status,
    completed_at: completedAt ?? null,
    error: error === undefined ? null : toResponseError(error),
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    model,
    output,
    usage: usage === undefined ? null : toUsage(usage),
    ...echo,
    background: false,
    max_tool_calls: null,
    previous_response_id: null,
    service_tier: 'default',
    store: false,
    truncation: 'disabled',
  }
}

/** Returns token counts. Clients fail on a details object that lacks its field. */
function toUsage(usage: Usage): object {
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: 0 },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.promptTokens + usage.completionTokens,
  }
}

/** Codes on which clients stop, wait or shorten the conversation instead of retrying at once. */
const knownCodes: Readonly<Record<string, string>> = {
  context_length_exceeded: 'context_length_exceeded',
  insufficient_balance: 'insufficient_quota',
}

/** Returns an error in the few codes of this dialect. Temporary problems are server errors. */
function toResponseError({ kind, code, message }: ApiError): object {
  return { code: knownCodes[code] ?? codesOfKinds[kind] ?? 'server_error', message }
}

const codesOfKinds: Readonly<Partial<Record<ApiError['kind'], string>>> = {
  rate_limit: 'rate_limit_exceeded',
  invalid_request: 'invalid_prompt',
}
