/** The operator's pages: what the command line can do, by the same operations. */
import { ApiError } from '../../core/errors.ts'
import { asJson } from '../../operations/as-json.ts'
import { inUsd } from '../../operations/money-text.ts'
import { isFor, isOperation, operations, perform } from '../../operations/operations.ts'
import { OperationError, type Problem } from '../../operations/problem.ts'
import { problemError } from '../../operations/problem-words.ts'
import { presentFields } from '../../wire/check.ts'
import { signedIn } from '../dashboard/sign-in.ts'
import { idOf } from '../path-rules.ts'
import { anybody, type OperatorCaller, performBody } from '../perform.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'

/** Serves POST setup: exchanges a setup link's secret and a password for an operator's session. */
export async function setUp(exchange: Exchange): Promise<Response> {
  return signedIn(exchange, await performBody(exchange, anybody(exchange), 'admin-setup'))
}

/** Rows that a page may ask for at a time: the server has others to serve. */
const maximumRows = 100

/** Serves POST operations/{name}: performs an operation. Its result is what the command prints with --json. */
export async function operate(exchange: Exchange, operator: OperatorCaller): Promise<Response> {
  const name = idOf(exchange.url)
  if (!isOperation(name) || !isFor('operator', name)) throw unknownOperation(name)
  const input = presentFields(await readJson(exchange))
  // Loading a model, or waiting for its requests, takes as long as it takes.
  exchange.limitSilence(false)
  try {
    requireFewRows(input)
    const limited = 'limit' in operations[name].input.properties ? { limit: maximumRows, ...input } : input
    const result = await perform(exchange.services, operator, { name, input: limited })
    return Response.json({ result: inUsd(asJson(result)) }, { headers: { 'cache-control': 'no-store' } })
  } catch (error) {
    throw error instanceof OperationError ? refusal(error.problem) : error
  }
}

function requireFewRows({ limit }: Record<string, unknown>): void {
  if (limit === undefined || (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= maximumRows)) return
  const rule = `must be a whole number from 1 to ${maximumRows}`
  throw new OperationError({ code: 'invalid_input', field: 'limit', rule })
}

/**
 * Returns the error of a problem: 400 for wrong input, 404 for an unknown name, 429 for a reached limit, and 409 for
 * everything else.
 */
function refusal(problem: Problem): ApiError {
  const error = problemError(problem)
  const { kind, message, param, code } = error
  if (code === 'invalid_value') return new ApiError(kind, message, { code: 'invalid_input', param })
  if (kind === 'rate_limit') return error
  if (kind === 'not_found' || kind === 'authentication') return new ApiError(kind, message, { code, param })
  return new ApiError('conflict', message, { code: 'operation_failed', param })
}

function unknownOperation(name: string): ApiError {
  return new ApiError('not_found', `There is no operation "${name}".`, { code: 'not_found' })
}
