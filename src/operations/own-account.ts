/** Operations by which an account sees itself and its money, and renames itself. */
import { Type } from '@sinclair/typebox'
import type { AccountRow } from '../accounts/account-row.ts'
import type { ValidSession } from '../accounts/sessions.ts'
import { dayMs } from '../core/durations.ts'
import { isStaff } from '../core/roles.ts'
import { lineOf, page } from './fields.ts'
import { existingAccount } from './find-account.ts'
import { operation } from './operation.ts'

const summaryRows = 20
const rateDays = 7
const balanceDays = 90

/** Shows the caller's account, its latest requests, how long its money lasts, and the teams that pay for it too. */
export const showOwnAccount = operation({
  callers: ['account'],
  kind: 'read',
  input: Type.Object({}),
  run: ({ stores, clock, caller: { accountId, holderId, session = '' } }) => {
    const account = existingAccount(stores, accountId)
    const spent7DaysNanoUsd = stores.spending.chargedSince(accountId, clock() - rateDays * dayMs)
    const availableNanoUsd = account.balanceNanoUsd - account.heldNanoUsd
    return {
      account,
      usage: stores.usage.list({ limit: summaryRows, accountId, holderId }),
      teams: stores.teams.teamsOf(accountId),
      isConfirmed: account.confirmedMs !== undefined,
      providers: stores.identities.list(accountId).map(({ provider }) => provider),
      hasPassword: stores.accounts.passwordHash(accountId) !== undefined,
      secondFactor: secondFactorState(account, stores.sessions.find(session)),
      runningRequests: stores.spending.runningRequests(accountId),
      spent7DaysNanoUsd,
      daysLeft: account.isUnmetered ? undefined : daysLeft(availableNanoUsd, spent7DaysNanoUsd),
    }
  },
})

/**
 * Returns the state of the second factor: `required` if the session has no rights of staff for lack of it, `off` if it
 * may be set up, `not-offered` if not.
 */
function secondFactorState(
  { role, hasSecondFactor }: AccountRow,
  session: ValidSession | undefined,
): 'on' | 'required' | 'off' | 'not-offered' {
  if (hasSecondFactor) return 'on'
  if (session?.lacksSecondFactor === true) return 'required'
  return isStaff(role) ? 'off' : 'not-offered'
}

/** Returns the whole days that the money lasts at the recent spending; undefined if nothing was spent. */
function daysLeft(availableNanoUsd: number, spentNanoUsd: number): number | undefined {
  if (spentNanoUsd === 0) return undefined
  return Number((BigInt(availableNanoUsd) * BigInt(rateDays)) / BigInt(spentNanoUsd))
}

/** Renames the account. */
export const renameOwnAccount = operation({
  callers: ['account'],
  kind: 'write',
  input: Type.Object({ name: lineOf('takes 1 to 100 characters on one line', 100) }),
  run: ({ stores, caller: { accountId } }, { name: text }) => {
    const { name, isNew } = stores.accounts.rename(accountId, text)
    const actor = `account:${accountId}`
    if (isNew) stores.audit.append({ actor, action: 'account.rename', accountId, details: {} })
    return { name }
  },
})

const timeMs = Type.Integer({ description: 'must be a time in milliseconds UTC' })
const period = { fromMs: timeMs, toMs: timeMs }

/** Lists the account's movements of money in a period, with their purposes, the latest first. */
export const listStatement = operation({
  callers: ['account'],
  kind: 'read',
  input: Type.Object({ ...period, ...page }),
  run: ({ stores, caller: { accountId } }, { fromMs, toMs, ...page }) =>
    stores.statements.lines({ accountId, fromMs, toMs }, page),
})

/** Sums the money that came and went in a period, with the balances before and after it. */
export const sumStatement = operation({
  callers: ['account'],
  kind: 'read',
  input: Type.Object(period),
  run: ({ stores, caller: { accountId } }, times) => stores.statements.sums({ accountId, ...times }),
})

/** Lists the balance at the end of each of the last 90 days (UTC). */
export const listBalanceDays = operation({
  callers: ['account'],
  kind: 'read',
  input: Type.Object({}),
  run: ({ stores, caller: { accountId } }) => stores.statements.days(accountId, balanceDays),
})
