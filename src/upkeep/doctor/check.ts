/** What a check of the doctor finds. */
export interface Finding {
  /** `warn`: all works, for now; `bad`: something does not work, or is lost; `unknown`: it could not be found out. */
  readonly verdict: 'ok' | 'warn' | 'bad' | 'unknown'
  readonly text: string
  /** What to do; undefined where nothing is to be done. */
  readonly advice?: string | undefined
}

export interface Check extends Finding {
  readonly name: string
}

/** Something that can be checked. It may take a while, and fail. */
export interface Examination {
  readonly name: string
  examine(): Promise<readonly Finding[]>
}

const limitMs = 20_000

/** All findings, in the order of the examinations. Never rejects: what fails or takes too long is unknown. */
export async function runChecks(examinations: readonly Examination[], waitMs = limitMs): Promise<Check[]> {
  const found = await Promise.all(
    examinations.map(async ({ name, examine }) => {
      const findings = await withinLimit(examine(), waitMs).catch((error: unknown): Finding[] => [
        { verdict: 'unknown', text: error instanceof Error ? error.message : String(error) },
      ])
      return findings.map((finding) => ({ name, ...finding }))
    }),
  )
  return found.flat()
}

/** Rejects when it takes too long. */
export async function withinLimit<Result>(work: Promise<Result>, waitMs = limitMs): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`there was no answer within ${waitMs / 1000} s`)), waitMs)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
