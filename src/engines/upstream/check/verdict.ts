/** The result of a probe of an upstream server. */
import { ApiError } from '../../../core/errors.ts'
import type { ServerLack } from '../../../core/upstream.ts'
import { UpstreamFailure } from '../http/failure.ts'
import { ownWords } from '../work/failure-log.ts'
import type { AdviceName } from './advice.ts'

/** `partly`: it does, and something is missing or mended here. */
export type Word = 'yes' | 'no' | 'partly' | 'not tried'

export interface Verdict {
  readonly word: Word
  /** What was seen, in words for the operator. */
  readonly note?: string | undefined
  /** What the operator may do. */
  readonly advice?: AdviceName | undefined
  /** What the model is taken to lack for it. */
  readonly lack?: ServerLack | undefined
}

export const yes: Verdict = { word: 'yes' }

export function notTried(note?: string): Verdict {
  return { word: 'not tried', note }
}

/** Statuses by which a server says no to this one request; others may mean that it cannot do any now. */
function isRefusal({ kind, status = 0 }: UpstreamFailure): boolean {
  if (kind !== 'status') return ['not-events', 'malformed', 'redirect'].includes(kind)
  return status === 500 || status === 501 || (status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status))
}

/**
 * `refused`: the verdict where the server says no. `key`: kept out of it, should the server quote it. Throws what is no failure of
 * the server, as when the check was stopped.
 */
export function verdictOfFailure(
  error: unknown,
  refused: Omit<Verdict, 'word' | 'note'>,
  key: string | undefined,
): Verdict {
  // Requests of clients are refused here in the same way, so there is nothing to narrow.
  if (error instanceof ApiError) return notTried(`this server refuses such requests: ${error.message}`)
  if (!(error instanceof UpstreamFailure)) throw error
  const said = ownWords(error.detail, key)
  const note = said === '' ? error.message : `${error.message} (it says: ${said})`
  return isRefusal(error) ? { word: 'no', note, ...refused } : notTried(note)
}
