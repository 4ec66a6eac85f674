/** Why a model cannot be loaded, told apart as far as the libraries allow. */
import type { StartFailure } from '../scheduler/events.ts'
import type { LoadFailure } from './protocol.ts'

/** The message is for the operator. */
export class LoadError extends Error {
  override readonly name = 'LoadError'
  readonly code: LoadFailure

  constructor(code: LoadFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** What a child says of an error that ended its load or estimate. */
export function loadFailure(error: unknown): { readonly code: LoadFailure; readonly message: string } {
  const message = error instanceof Error ? error.message : String(error)
  return { code: error instanceof LoadError ? error.code : 'other', message }
}

/** What each is for the scheduler. */
export const startFailures: Readonly<Record<LoadFailure, StartFailure>> = {
  'out-of-memory': 'oom',
  'bad-model': 'bad-model',
  other: 'crash',
}
