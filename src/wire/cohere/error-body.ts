import { type Static, Type } from '@sinclair/typebox'
import type { ApiError } from '../../core/errors.ts'
import { errorFields } from '../error-body.ts'

/** Clients of this dialect show the message, and ignore the fields that it does not have itself. */
export const CohereErrorBody = Type.Object({ id: Type.String(), ...errorFields })

/** Returns the error object of Cohere's endpoints. `docsUrl` is the address of the code's documentation. */
export function toCohereErrorBody(
  { message, code, param }: ApiError,
  docsUrl: string,
  requestId: string,
): Static<typeof CohereErrorBody> {
  return { id: requestId, message, param: param ?? null, code, docs_url: docsUrl }
}
