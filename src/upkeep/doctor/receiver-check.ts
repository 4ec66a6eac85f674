import type { Finding } from './check.ts'

/** Receiver of records, as it answers now. */
export interface CheckedReceiver {
  readonly name: string
  readonly dropped: number
  /** Failure of the last records. Undefined if they were taken. */
  readonly failure?: { readonly reason: string } | null | undefined
  /** Reason why it cannot be reached. Undefined if it can, and over UDP, which does not tell. */
  readonly problem?: string | null | undefined
}

export function receiverFindings(receivers: readonly CheckedReceiver[]): Finding[] {
  return receivers.map(({ name, dropped, failure, problem }) => {
    const reason = problem ?? failure?.reason
    const advice = 'check the settings of the group shipping, and the receiver'
    if (reason !== undefined) return { verdict: 'bad', text: `${name} takes no records: ${reason}`, advice }
    if (dropped === 0) return { verdict: 'ok', text: `${name} takes records` }
    const text = `${name} takes records, and ${dropped} were dropped since the start`
    return { verdict: 'warn', text, advice: "see 'records dropped' in the log for the reason" }
  })
}
