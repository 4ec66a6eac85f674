/** Consequences of an upstream failure for the breaker, retries, the client and the operator. */
import { ApiError } from '../../../core/errors.ts'
import type { EngineLogLine } from '../../protocol/engine.ts'
import { engineFailed, overloaded } from '../../shared/engine-errors.ts'
import type { Outcome } from '../endpoints/breaker.ts'
import { UpstreamFailure, type UpstreamFailureKind } from '../http/failure.ts'
import { lengthRefusal, tooLongError } from './length-refusal.ts'

interface FailureRule {
  /** Outcome for the endpoint's breaker. */
  readonly outcome: Outcome
  /** True if another server may succeed. */
  readonly movesOn: boolean
  /**
   * Failure from the client's view. `fault`: the server failed. `refusal`: it rejected a valid request. `busy`: it may
   * accept later. `size`: the request is too large. `ability`: the request needs something that the server cannot do.
   */
  readonly client: 'fault' | 'refusal' | 'busy' | 'size' | 'ability'
  readonly level: EngineLogLine['level']
  /** Remedy for the operator, without a full stop. */
  readonly advice: string
}

export const fault: FailureRule = {
  outcome: 'failed',
  movesOn: false,
  client: 'fault',
  level: 'warn',
  advice: 'look into its log',
}
const refusal: FailureRule = {
  outcome: 'refused',
  movesOn: false,
  client: 'refusal',
  level: 'warn',
  advice: "is it of the manifest's flavor, and is its version known to work? 'inferd check' tells what it can do",
}
const access: FailureRule = {
  ...refusal,
  level: 'error',
  advice: "it does not take the key of the manifest's [upstream]",
}
const address: FailureRule = {
  ...refusal,
  level: 'error',
  advice: "endpoints and model of the manifest's [upstream] must be those of the server",
}
/** Neutral, since clients can cause it at will: it must not take the endpoint away from others. */
const inability: FailureRule = {
  ...refusal,
  outcome: 'neutral',
  client: 'ability',
  advice: 'a client asked for what it was not started with, or what its model cannot do',
}
const busy: FailureRule = {
  outcome: 'neutral',
  movesOn: true,
  client: 'busy',
  level: 'warn',
  advice: 'max_concurrent of the manifest may be more than it can do',
}

const byKind: Readonly<Record<Exclude<UpstreamFailureKind, 'status'>, FailureRule>> = {
  connect: { ...fault, movesOn: true, advice: 'does it run, and is the address right?' },
  tls: { ...fault, movesOn: true, level: 'error', advice: 'mend its certificate' },
  redirect: { ...fault, level: 'error', advice: 'redirects are not followed: write the address that it leads to' },
  'not-events': { ...fault, level: 'error', advice: 'is the address that of an API, with its /v1?' },
  malformed: fault,
  'too-large': fault,
  'no-answer': { ...fault, client: 'busy', advice: 'its queue is too long, or it hangs' },
  idle: fault,
  // Neutral, since the server was working all that time.
  'too-long': { ...fault, outcome: 'neutral' },
  cut: { ...fault, movesOn: true, advice: 'it may have crashed: look into its log' },
}

const byStatus: Readonly<Record<number, FailureRule>> = {
  401: access,
  403: access,
  404: address,
  405: address,
  413: { ...refusal, outcome: 'neutral', client: 'size', advice: 'a limit of its own is below that of this server' },
  429: busy,
  501: inability,
  502: { ...fault, movesOn: true },
  503: { ...busy, outcome: 'failed' },
}

/** Returns the rule for an error thrown by a call; undefined if it is not a server's failure. */
export function failureRule(error: unknown): FailureRule | undefined {
  if (!(error instanceof UpstreamFailure)) return undefined
  if (error.kind !== 'status') return byKind[error.kind]
  const { status = 500 } = error
  // llama-server's answer to pictures if it has no projector.
  if (status === 500 && /\bnot supported\b/.test(error.detail)) return inability
  return byStatus[status] ?? (status >= 500 ? fault : refusal)
}

/** Returns the client's error, without the server's own words, which may name internals. */
export function clientError(error: unknown, modelId: string, contextTokens: number): ApiError {
  if (error instanceof ApiError) return error
  const rule = failureRule(error)
  if (rule === undefined || !(error instanceof UpstreamFailure)) return engineFailed(modelId, String(error))
  const tooLong = lengthRefusal(error)
  if (tooLong !== undefined) return tooLongError(tooLong, contextTokens)
  switch (rule.client) {
    case 'fault':
      return engineFailed(modelId, error.message)
    case 'busy': {
      const { kind, message, ...details } = overloaded(modelId)
      const { retryAfterSeconds = details.retryAfterSeconds } = error
      return new ApiError(kind, message, { ...details, retryAfterSeconds })
    }
    case 'size':
      return new ApiError(
        'payload_too_large',
        `The request is larger than the server of model '${modelId}' takes. Send less.`,
        { code: 'payload_too_large' },
      )
    case 'ability':
      return new ApiError(
        'invalid_request',
        `The server of model '${modelId}' cannot do something that the request asks for, such as pictures or 'suffix'. Leave it out, or use another model.`,
        { code: 'unsupported_parameter' },
      )
    case 'refusal':
      return new ApiError(
        'engine',
        `The server of model '${modelId}' refused the request, which only this server's operator can mend. Nothing was charged.`,
        { code: 'engine_failed' },
      )
  }
}
