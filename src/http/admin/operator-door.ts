/** The operator's pages. They perform the same operations as the command line. */
import { ApiError } from '../../core/errors.ts'
import { isFor } from '../../operations/operations.ts'
import type { Problem } from '../../operations/problem.ts'
import { problemError } from '../../operations/problem-words.ts'
import { answerPage } from '../answer-page.ts'
import { signedIn } from '../dashboard/sign-in.ts'
import { anybody, type OperatorCaller, performBody } from '../perform.ts'
import type { Exchange } from '../services.ts'

/** Serves POST setup: exchanges a setup link's secret and a password for an operator's session. */
export async function setUp(exchange: Exchange): Promise<Response> {
  return signedIn(exchange, await performBody(exchange, anybody(exchange), 'admin-setup'))
}

/** Serves POST operations/{name}: performs an operation. The result equals the command's output with --json. */
export async function performAsOperator(exchange: Exchange, operator: OperatorCaller): Promise<Response> {
  // Loading a model, or waiting for its requests, takes as long as it takes.
  exchange.limitSilence(false)
  return answerPage(exchange, {
    caller: operator,
    answerOf: (name) => (isFor('operator', name) ? (result) => result : undefined),
    toError,
  })
}

/**
 * Returns the error of a problem: 400 for wrong input, 404 for an unknown name, 429 for a reached limit, and 409 for
 * everything else.
 */
function toError(problem: Problem): ApiError {
  const error = problemError(problem)
  const { kind, message, param, code } = error
  if (problem.code === 'invalid_input' || code === 'invalid_value')
    return new ApiError(kind, message, { code: 'invalid_input', param })
  if (kind === 'rate_limit') return error
  if (kind === 'not_found' || kind === 'authentication') return new ApiError(kind, message, { code, param })
  return new ApiError('conflict', message, { code: 'operation_failed', param })
}
