import type { BoundBy, Excess } from '../billing/request-rates.ts'
import { ApiError } from '../core/errors.ts'
import { subjectText } from '../inference/insufficient-balance.ts'

/** Time after which a refused request may try again where only other requests decide, seconds. */
const soonSeconds = 1

/** Codes of refusals by a limit of an account or a key */
export const limitCodes: readonly string[] = [
  'rate_limit_exceeded',
  'too_many_parallel',
  'budget_exceeded',
  'model_not_allowed',
  'endpoint_not_allowed',
  'network_not_allowed',
]

/** Returns ApiError 429 with the limit, whose it is, and the time to wait. */
export function rateExceeded({ subject, limit, limits, waitMs }: Excess): ApiError {
  const retryAfterSeconds = waitMs === undefined ? soonSeconds : waitMs / 1000
  const when = waitMs === undefined ? 'when one of them has ended' : `in ${Math.ceil(waitMs / 1000)} s`
  const who = capitalized(subjectText(subject))
  switch (limit) {
    case 'parallel': {
      const message = `${who} may have ${limits.parallel} requests at a time, and as many wait or run. Send this one again ${when}.`
      return new ApiError('rate_limit', message, { code: 'too_many_parallel', retryAfterSeconds })
    }
    case 'requests': {
      const message = `${who} may send ${limits.requestsPerMinute} requests a minute, and has. Send the next one ${when}.`
      return new ApiError('rate_limit', message, { code: 'rate_limit_exceeded', retryAfterSeconds })
    }
    case 'tokens': {
      const held =
        waitMs === undefined ? ' Running requests count with all that they may use: max_tokens limits that.' : ''
      const message = `${who} may use ${limits.tokensPerMinute} tokens a minute, and none are left. Send this request again ${when}.${held}`
      return new ApiError('rate_limit', message, { code: 'rate_limit_exceeded', retryAfterSeconds })
    }
  }
}

export function networkNotAllowed(subject: string, address: string): ApiError {
  const message = `${capitalized(subjectText(subject))} serves listed networks alone, and ${address} is in none of them. Whoever set the limit can add it.`
  return new ApiError('permission', message, { code: 'network_not_allowed' })
}

export function endpointNotAllowed(subject: string, endpoint: string, allowed: readonly string[]): ApiError {
  const message = `${capitalized(subjectText(subject))} may not use '${endpoint}'. Allowed: ${listed(allowed)}.`
  return new ApiError('permission', message, { code: 'endpoint_not_allowed' })
}

export function modelNotAllowed({ subject, limits }: BoundBy, modelId: string): ApiError {
  const message = `${capitalized(subjectText(subject))} may not use model '${modelId}'. Allowed: ${listed(limits.models ?? [])}.`
  return new ApiError('permission', message, { code: 'model_not_allowed', param: 'model' })
}

/** Most names in a message */
const namedMost = 20

function listed(names: readonly string[]): string {
  const more = names.length - namedMost
  return names.length === 0
    ? 'nothing'
    : `${names.slice(0, namedMost).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
