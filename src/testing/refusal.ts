import { ApiError } from '../core/errors.ts'

interface Refusal {
  readonly kind: string
  readonly code: string
  readonly param: string | undefined
}

/** How `work` is refused; undefined when it is not. Anything but an ApiError is thrown on. */
export function refusalOf(work: () => unknown): Refusal | undefined {
  try {
    work()
  } catch (error) {
    return toRefusal(error)
  }
  return undefined
}

/** The same of work that goes on. */
export async function rejectionOf(work: Promise<unknown>): Promise<Refusal | undefined> {
  return work.then(() => undefined, toRefusal)
}

function toRefusal(error: unknown): Refusal {
  if (!(error instanceof ApiError)) throw error
  const { kind, code, param } = error
  return { kind, code, param }
}
