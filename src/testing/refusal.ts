import { ApiError } from '../core/errors.ts'

/** How `work` is refused; undefined when it is not. Anything but an ApiError is thrown on. */
export function refusalOf(work: () => unknown): { kind: string; code: string; param: string | undefined } | undefined {
  try {
    work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { kind, code, param } = error
    return { kind, code, param }
  }
  return undefined
}
