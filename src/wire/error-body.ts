import { type ApiError, errorRule } from '../core/errors.ts'

export interface ErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string
    readonly docs_url: string
  }
}

/** The contract's error object. `docsUrl` is the address of the page on this code. */
export function toErrorBody(error: ApiError, docsUrl: string): ErrorBody {
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
