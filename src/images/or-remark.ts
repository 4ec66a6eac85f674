import { ApiError } from '../core/errors.ts'

/** Part of a message. */
interface SentPart {
  readonly param: string
  readonly isToolResult: boolean
}

/**
 * Returns the result of `make`, or the remark if that throws an error about a part that a tool returned: agents do not
 * choose their tools' results and resend them every turn.
 */
export async function orRemark<Made, Remark>(
  { param, isToolResult }: SentPart,
  remark: Remark,
  make: () => Made | Promise<Made>,
): Promise<Made | Remark> {
  try {
    return await make()
  } catch (error) {
    if (isToolResult && error instanceof ApiError && error.param === param) return remark
    throw error
  }
}
