import { ApiError } from '../core/errors.ts'
import { asJson } from '../operations/as-json.ts'
import { inUsd } from '../operations/money-text.ts'
import type { Caller } from '../operations/operation.ts'
import { isOperation, type OperationName, operations, perform } from '../operations/operations.ts'
import { OperationError, type Problem } from '../operations/problem.ts'
import { presentFields } from '../wire/check.ts'
import { idOf } from './path-rules.ts'
import { readJson } from './read-json.ts'
import type { Exchange } from './services.ts'

/** Differences between account pages and operator pages in their operations. */
interface PageDoor {
  readonly caller: Caller
  /** Returns the function that selects the caller's view of a result. Undefined for operations that it may not perform. */
  readonly answerOf: (name: OperationName) => ((result: unknown) => unknown) | undefined
  readonly toError: (problem: Problem) => ApiError
}

/** Maximum rows that a page gets at a time. */
const maximumRows = 100

/**
 * Performs the operation that the path names, with the body as its input, and answers its result. Rejects with ApiError: 404 for an
 * operation that this caller does not have.
 */
export async function answerPage(exchange: Exchange, { caller, answerOf, toError }: PageDoor): Promise<Response> {
  const name = idOf(exchange.url)
  const shown = isOperation(name) ? answerOf(name) : undefined
  if (!isOperation(name) || shown === undefined) throw unknownOperation(name)
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

function requireFewRows({ limit }: Record<string, unknown>): void {
  if (limit === undefined || (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= maximumRows)) return
  const rule = `must be a whole number from 1 to ${maximumRows}`
  throw new OperationError({ code: 'invalid_input', field: 'limit', rule })
}

function unknownOperation(name: string): ApiError {
  return new ApiError('not_found', `There is no operation "${name}".`, { code: 'not_found' })
}
