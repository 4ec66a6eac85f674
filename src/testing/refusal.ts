import { ApiError } from '../core/errors.ts'
import { OperationError } from '../operations/problem.ts'

interface Refusal {
  readonly kind: string
  readonly code: string
  readonly param: string | undefined
}

/** Returns the error with which `work` is refused; undefined if it succeeds. Throws errors other than ApiError. */
export function refusalOf(work: () => unknown): Refusal | undefined {
  try {
    work()
  } catch (error) {
    return toRefusal(error)
  }
  return undefined
}

/** Returns the error with which asynchronous work is refused, like `refusalOf`. */
export async function rejectionOf(work: Promise<unknown>): Promise<Refusal | undefined> {
  return work.then(() => undefined, toRefusal)
}

/** Returns the problem for which an operation is refused, or else its error, or what it returns. */
export async function problemOf(done: Promise<unknown>): Promise<unknown> {
  const error = await done.catch((reason: unknown) => reason)
  return error instanceof OperationError ? error.problem : error
}

function toRefusal(error: unknown): Refusal {
  if (!(error instanceof ApiError)) throw error
  const { kind, code, param } = error
  return { kind, code, param }
}
