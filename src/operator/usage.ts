import { Type } from '@sinclair/typebox'
import { type UsageGrouping, usageGroupings } from '../billing/usage-report.ts'
import { InputError } from './errors.ts'
import { accountReference, lineOf } from './fields.ts'
import { findAccount } from './find-account.ts'
import { operation } from './operation.ts'

const dayMs = 24 * 60 * 60 * 1000
const day = (flag: string) => Type.Optional(lineOf(`${flag} must be a day such as 2026-01-31`, 10))

/** What was used and what it cost, summed up by day (UTC), model, key or account. */
export const reportUsage = operation({
  kind: 'read',
  input: Type.Object({
    by: lineOf(`--by must be ${usageGroupings.join(', ')}`, 10),
    from: day('--from'),
    to: day('--to'),
    account: Type.Optional(accountReference),
  }),
  run: ({ stores }, { by, from, to, account }) => {
    const lastMs = to === undefined ? undefined : parseDay('--to', to)
    return stores.usageReport.totals({
      by: parseGrouping(by),
      fromMs: from === undefined ? undefined : parseDay('--from', from),
      toMs: lastMs === undefined ? undefined : lastMs + dayMs,
      accountId: account === undefined ? undefined : findAccount(stores, account).id,
    })
  },
})

function parseGrouping(by: string): UsageGrouping {
  const found = usageGroupings.find((grouping) => grouping === by)
  if (found === undefined) throw new InputError(`--by must be ${usageGroupings.join(', ')}, not "${by}"`)
  return found
}

function parseDay(flag: string, text: string): number {
  const timeMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // 2026-02-31 is no day, though some would take it for one in March.
  if (Number.isNaN(timeMs) || new Date(timeMs).toISOString().slice(0, 10) !== text) {
    throw new InputError(`${flag} must be a day such as 2026-01-31, not "${text}"`)
  }
  return timeMs
}
