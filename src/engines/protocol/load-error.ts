/** Failures to load a model, distinguished as far as the libraries allow. */

import { errorText } from '../../core/error-text.ts'
import type { LoadFailure } from '../../core/model-state.ts'

/** Failure to load a model. The message is for the operator. */
export class LoadError extends Error {
  override readonly name = 'LoadError'
  readonly code: LoadFailure

  constructor(code: LoadFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Returns a child's report on an error that ended its load or estimate. */
export function loadFailure(error: unknown): { readonly code: LoadFailure; readonly message: string } {
  const message = errorText(error)
  return { code: error instanceof LoadError ? error.code : 'other', message }
}
