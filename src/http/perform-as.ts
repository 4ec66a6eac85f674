/**
 * Operations that pages perform: an account's, with the fields that accounts may see, and an operator's, like the
 * command line's.
 */
import { ApiError } from '../core/errors.ts'
import { accountAnswerOf } from '../operations/account-answers.ts'
import { asJson } from '../operations/as-json.ts'
import { inUsd } from '../operations/money-text.ts'
import { isFor, isOperation, type OperationName, operations, perform } from '../operations/operations.ts'
import { OperationError, type Problem } from '../operations/problem.ts'
import { problemError } from '../operations/problem-words.ts'
import { presentFields } from '../wire/check.ts'
import { idOf } from './path-rules.ts'
import type { AccountCaller, Performing, StaffCaller } from './perform.ts'
import { readJson } from './read-json.ts'

/** Maximum rows that a page gets at a time. */
const maximumRows = 100

/** Serves POST operations/{name} for accounts' pages. The result has only the fields that accounts may see. */
export const performAsAccount = performNamed(accountAnswerOf, problemError)

/**
 * Serves POST operations/{name} for operators' pages, as far as the role allows. The result equals the command's output
 * with --json.
 */
export const performAsStaff = performNamed(
  (name) => (isFor('operator', name) ? (result) => result : undefined),
  staffError,
)

/**
 * Returns the handler that performs the operation that the path names, with the body as its input. `answerOf` returns
 * the function that selects the caller's view of a result. Rejects with ApiError: 404 for an operation without a
 * view.
 */
function performNamed(
  answerOf: (name: OperationName) => ((result: unknown) => unknown) | undefined,
  toError: (problem: Problem) => ApiError,
): (exchange: Performing, caller: AccountCaller | StaffCaller) => Promise<Response> {
  return async (exchange, caller) => {
    // Loading a model, or waiting for its requests, may take long.
    if (caller.kind === 'operator') exchange.limitSilence(false)
    const name = idOf(exchange.url)
    const shown = isOperation(name) ? answerOf(name) : undefined
    if (!isOperation(name) || shown === undefined) {
      throw new ApiError('not_found', `There is no operation "${name}".`, { code: 'not_found' })
    }
    const input = presentFields(await readJson(exchange))
    try {
      requireFewRows(input)
      const limited = 'limit' in operations[name].input.properties ? { limit: maximumRows, ...input } : input
      const result = shown(await perform(exchange.services, caller, { name, input: limited }))
      return Response.json({ result: inUsd(asJson(result)) }, { headers: { 'cache-control': 'no-store' } })
    } catch (error) {
      throw error instanceof OperationError ? toError(error.problem) : error
    }
  }
}

function requireFewRows({ limit }: Record<string, unknown>): void {
  if (limit === undefined || (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= maximumRows)) return
  const rule = `must be a whole number from 1 to ${maximumRows}`
  throw new OperationError({ code: 'invalid_input', field: 'limit', rule })
}

/**
 * Returns the error of a problem on operators' pages: 400 for wrong input, 403 for missing rights, 404 for an unknown
 * name, 429 for a reached limit, and 409 for everything else, with a code of its own where the state of an account
 * forbids it.
 */
function staffError(problem: Problem): ApiError {
  const error = problemError(problem)
  const { kind, message, param, code } = error
  if (problem.code === 'invalid_input' || code === 'invalid_value')
    return new ApiError(kind, message, { code: 'invalid_input', param })
  if (kind === 'rate_limit' || kind === 'conflict' || code === 'not_for_role') return error
  if (kind === 'not_found' || kind === 'authentication') return new ApiError(kind, message, { code, param })
  return new ApiError('conflict', message, { code: 'operation_failed', param })
}
