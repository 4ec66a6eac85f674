/** An account's own view of itself and its money, and its name. */
import { Type } from '@sinclair/typebox'
import { dayMs } from '../core/durations.ts'
import { lineOf, page } from './fields.ts'
import { existingAccount } from './find-account.ts'
import { operation } from './operation.ts'

const summaryRows = 20
const rateDays = 7
const balanceDays = 90

/** The caller's own account, its last requests, and how long its money lasts. */
export const showOwnAccount = operation({
  callers: ['account'],
  kind: 'read',
  input: Type.Object({}),
  run: ({ stores, clock, caller: { accountId } }) => {
    const account = existingAccount(stores, accountId)
    const spent7DaysNanoUsd = stores.spending.chargedSince(accountId, clock() - rateDays * dayMs)
    const availableNanoUsd = account.balanceNanoUsd - account.heldNanoUsd
    return {
      account,
      usage: stores.usage.list({ limit: summaryRows, accountId }),
      isConfirmed: account.confirmedMs !== undefined,
      hasPassword: stores.accounts.passwordHash(accountId) !== undefined,
      runningRequests: stores.spending.runningRequests(accountId),
      spent7DaysNanoUsd,
      daysLeft: account.isUnmetered ? undefined : daysLeft(availableNanoUsd, spent7DaysNanoUsd),
    }
  },
})

/** Returns the whole days that the money lasts at the recent rate; undefined if nothing was spent. */
function daysLeft(availableNanoUsd: number, spentNanoUsd: number): number | undefined {
  if (spentNanoUsd === 0) return undefined
  return Number((BigInt(availableNanoUsd) * BigInt(rateDays)) / BigInt(spentNanoUsd))
}

/** Gives the account another name. */
export const renameOwnAccount = operation({
  callers: ['account'],
  kind: 'write',
  input: Type.Object({ name: lineOf('takes 1 to 100 characters on one line', 100) }),
  run: ({ stores, caller: { accountId } }, { name: text }) => {
    const { name, isNew } = stores.accounts.rename(accountId, text)
    const actor = `account:${accountId}`
    if (isNew) stores.audit.append({ actor, action: 'account.rename', accountId, details: { name } })
    return { name }
  },
})

const timeMs = Type.Integer({ description: 'must be a time in milliseconds UTC' })
const period = { fromMs: timeMs, toMs: timeMs }

/** The account's moves of money in a period, the latest first, each with what it was for. */
export const listStatement = operation({
  callers: ['account'],
  kind: 'read',
  input: Type.Object({ ...period, ...page }),
  run: ({ stores, caller: { accountId } }, { fromMs, toMs, ...page }) =>
    stores.statements.lines({ accountId, fromMs, toMs }, page),
})

/** Money that came and went in a period, with the balance before and after it. */
export const sumStatement = operation({
  callers: ['account'],
  kind: 'read',
  input: Type.Object(period),
  run: ({ stores, caller: { accountId } }, times) => stores.statements.sums({ accountId, ...times }),
})

/** The balance at the end of each of the last 90 days, UTC. */
export const listBalanceDays = operation({
  callers: ['account'],
  kind: 'read',
  input: Type.Object({}),
  run: ({ stores, caller: { accountId } }) => stores.statements.days(accountId, balanceDays),
})
