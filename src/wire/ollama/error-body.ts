import { type Static, Type } from '@sinclair/typebox'
import type { ApiError } from '../../core/errors.ts'
import { errorFields } from '../error-body.ts'

const { param, code, docs_url } = errorFields

/** Clients of this dialect print `error` unchanged: anything but a text would hide the message. */
export const OllamaErrorBody = Type.Object({ error: Type.String(), code, param, docs_url })

/** Returns the error object of every path below /api. `docsUrl` is the address of the code's documentation. */
export function toOllamaErrorBody(error: ApiError, docsUrl: string): Static<typeof OllamaErrorBody> {
  return { error: ollamaMessage(error), code: error.code, param: error.param ?? null, docs_url: docsUrl }
}

/** Clients look for these words: some then offer to pull the model. */
export function ollamaMessage({ message, code, param, modelId }: ApiError): string {
  if (modelId !== undefined) return `model '${modelId}' not found, try pulling it first`
  if (code === 'missing_required_parameter' && param === 'model') return 'model is required'
  return message
}
