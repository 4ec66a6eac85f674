/** Errors about texts that a model cannot read. `param` is the field's name in the API. */
import { ApiError } from '../../../core/errors.ts'

export function textTooLong(param: string, promptTokens: number, limitTokens: number): ApiError {
  const message = `This model reads at most ${limitTokens} tokens of a text, and '${param}' has ${promptTokens}. Send it in parts.`
  return new ApiError('invalid_request', message, {
    code: 'context_length_exceeded',
    param,
    length: { promptTokens, limitTokens },
  })
}

/** Returns the error for a text that is too long to be read at all. */
export function textFarTooLong(param: string, characters: number, limitTokens: number): ApiError {
  const message = `This model reads at most ${limitTokens} tokens of a text; the ${characters} characters of '${param}' are far more. Send them in parts.`
  return new ApiError('invalid_request', message, { code: 'context_length_exceeded', param })
}

export function queryTooLong(limitTokens: number): ApiError {
  const message = `The query leaves no room for a document in the ${limitTokens} tokens that this model reads. Shorten it.`
  return new ApiError('invalid_request', message, { code: 'context_length_exceeded', param: 'query' })
}

export function noContent(param: string): ApiError {
  const message = `Nothing is left of '${param}' that this model knows. Leave it out.`
  return new ApiError('invalid_request', message, { code: 'invalid_value', param })
}

export function foreignTokens(param: string, id: number, vocabularySize: number): ApiError {
  const message = `'${param}' holds the token id ${id}, and this model knows ${vocabularySize}: the ids are another model's. Send text instead (in LangChain: check_embedding_ctx_length=False).`
  return new ApiError('invalid_request', message, { code: 'invalid_value', param })
}

export function tooManyWait(): ApiError {
  const message = 'Too many texts wait for this model already. Try again in a moment.'
  return new ApiError('unavailable', message, { code: 'overloaded', retryAfterSeconds: 5 })
}

export function notComputed(): ApiError {
  const message = 'The model could not compute these texts. Nothing was charged.'
  return new ApiError('engine', message, { code: 'engine_failed' })
}
