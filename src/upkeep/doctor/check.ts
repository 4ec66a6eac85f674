import { errorText } from '../../core/error-text.ts'
import { within } from '../../core/within.ts'
/** Result of one check. */
export interface Finding {
  /** `warn`: works for now. `bad`: does not work, or data is lost. `unknown`: could not be checked. */
  readonly verdict: 'ok' | 'warn' | 'bad' | 'unknown'
  readonly text: string
  /** Next step. Undefined if nothing is to be done. */
  readonly advice?: string | undefined
}

export interface Check extends Finding {
  readonly name: string
}

/** Check that may take a while, and fail. */
export interface Examination {
  readonly name: string
  examine(): Promise<readonly Finding[]>
}

const limitMs = 20_000

/** Returns all findings in the order of the examinations. Never rejects: failed and slow ones are unknown. */
export async function runChecks(examinations: readonly Examination[], waitMs = limitMs): Promise<Check[]> {
  const found = await Promise.all(
    examinations.map(async ({ name, examine }) => {
      const findings = await withinLimit(examine(), waitMs).catch((error: unknown): Finding[] => [
        { verdict: 'unknown', text: errorText(error) },
      ])
      return findings.map((finding) => ({ name, ...finding }))
    }),
  )
  return found.flat()
}

/** Rejects if the work takes too long. */
export function withinLimit<Result>(work: Promise<Result>, waitMs = limitMs): Promise<Result> {
  return within(work, waitMs, () => {
    throw new Error(`there was no answer within ${waitMs / 1000} s`)
  })
}
