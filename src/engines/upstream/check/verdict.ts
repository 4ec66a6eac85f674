/** Result of a probe of an upstream server. */
import { ApiError } from '../../../core/errors.ts'
import type { ServerLack } from '../../../core/upstream.ts'
import { UpstreamFailure } from '../http/failure.ts'
import { ownWords } from '../work/failure-log.ts'
import type { AdviceName } from './advice.ts'

/** `partly`: works with a part missing, or repaired by inferd. */
export type Word = 'yes' | 'no' | 'partly' | 'not tried'

export interface Verdict {
  readonly word: Word
  /** Observation, in words for the operator. */
  readonly note?: string | undefined
  /** Advice for the operator. */
  readonly advice?: AdviceName | undefined
  /** Ability that the model is assumed to lack. */
  readonly lack?: ServerLack | undefined
}

export const yes: Verdict = { word: 'yes' }

export function notTried(note?: string): Verdict {
  return { word: 'not tried', note }
}

/** Returns whether a server refused only this request. Other statuses may mean that it cannot serve any request now. */
function isRefusal({ kind, status = 0 }: UpstreamFailure): boolean {
  if (kind !== 'status') return ['not-events', 'malformed', 'redirect'].includes(kind)
  return status === 500 || status === 501 || (status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status))
}

/**
 * Returns the verdict on a failure. `refused`: details of the verdict on a refusal. Removes `key` in case the server
 * quotes it. Throws errors that are not the server's, such as a stopped check.
 */
export function verdictOfFailure(
  error: unknown,
  refused: Omit<Verdict, 'word' | 'note'>,
  key: string | undefined,
): Verdict {
  // Clients' requests are refused in the same way, so no ability has to be marked as missing.
  if (error instanceof ApiError) return notTried(`this server refuses such requests: ${error.message}`)
  if (!(error instanceof UpstreamFailure)) throw error
  const said = ownWords(error.detail, key)
  const note = said === '' ? error.message : `${error.message} (it says: ${said})`
  return isRefusal(error) ? { word: 'no', note, ...refused } : notTried(note)
}
