import { type Static, Type } from '@sinclair/typebox'
import { type ApiError, errorRule } from '../core/errors.ts'

/** Fields that errors of every dialect share. */
export const errorFields = {
  message: Type.String(),
  param: Type.Union([Type.String(), Type.Null()], { description: 'The field of the request that is wrong.' }),
  code: Type.Unsafe<string>({ $ref: '#/components/schemas/ErrorCode' }),
  docs_url: Type.String(),
}

export const ErrorBody = Type.Object({ error: Type.Object({ ...errorFields, type: Type.String() }) })

/** Returns the error object of the API. `docsUrl` is the address of the code's documentation. */
export function toErrorBody(error: ApiError, docsUrl: string): Static<typeof ErrorBody> {
  return {
    error: {
      message: error.message,
      type: errorRule(error.kind).type,
      param: error.param ?? null,
      code: error.code,
      docs_url: docsUrl,
    },
  }
}
