/** Operations by which the data about one account is exported and erased. */
import { Type } from '@sinclair/typebox'
import { oneOf, wholeNumber } from '../core/schemas.ts'
import { exportTables, UnknownPlaceError } from '../db/export-person.ts'
import { allBackups } from './backups.ts'
import { accountReference, lineOf, mustBe } from './fields.ts'
import { findAnyAccount, requireOther, scopeOf } from './find-account.ts'
import { actorOf, operation } from './operation.ts'
import { OperationError } from './problem.ts'

const ofAccount = { account: Type.Optional(accountReference) }
const pageRows = 1_000

/** Begins an export of all data about an account: returns the tables that `accounts-export-rows` reads. */
export const exportAccount = operation({
  callers: ['operator', 'account'],
  kind: 'write',
  input: Type.Object(ofAccount),
  run: (context, { account: reference }) => {
    const { stores, caller, clock } = context
    const account = required(scopeOf(context, reference))
    stores.audit.append({ actor: actorOf(caller), action: 'account.export', accountId: account, details: {} })
    return { account, exportedMs: clock(), tables: exportTables }
  },
})

/** Reads a page of an export. Shows neither secrets nor hashes, nor who else acted on the account. */
export const exportAccountRows = operation({
  callers: ['operator', 'account'],
  kind: 'read',
  input: Type.Object({
    ...ofAccount,
    table: mustBe(oneOf(exportTables)),
    after: Type.Optional(lineOf('is what `next` of the page before says', 1_000)),
    limit: Type.Optional(mustBe(wholeNumber(1, pageRows))),
  }),
  run: (context, { account: reference, table, after, limit = pageRows }) => {
    const account = required(scopeOf(context, reference))
    try {
      return context.stores.exportRows({ account, table, after, limit })
    } catch (error) {
      if (!(error instanceof UnknownPlaceError)) throw error
      const rule = 'is what `next` of the page before says'
      throw new OperationError({ code: 'invalid_input', field: 'after', rule })
    }
  },
})

function required(account: string | undefined): string {
  if (account !== undefined) return account
  const rule = 'is named by its mail address or its id (acc_…)'
  throw new OperationError({ code: 'invalid_input', field: 'account', rule, isMissing: true })
}

/**
 * Erases the person of an account for good. Its id stays as a pseudonym in ledger, usage and audit log, so all sums do.
 * Returns the backups, and the copies in the data folder that upgrades and restores left: the person is in them until
 * they are deleted. A restore erases the person again.
 */
export const eraseAccount = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ account: accountReference }),
  prepare: async ({ server }) => (server === undefined ? [] : allBackups(server)),
  run: ({ stores, caller, requests }, { account: reference }, made) => {
    const account = findAnyAccount(stores, reference)
    const { id, balanceNanoUsd } = account
    const backups = made.map(({ name, createdMs }) => ({ name, createdMs }))
    if (account.erasedMs !== undefined)
      return { account: id, erasedMs: account.erasedMs, backups, copies: stores.erasures.copies() }
    if (id === caller.accountId)
      throw new OperationError({ code: 'own_account', of: 'caller', rule: 'cannot be erased' })
    requireOther(stores, account, 'cannot be erased')
    const running = Math.max(
      stores.spending.runningRequests(id),
      requests?.running({ filter: { account: id }, limit: pageRows }).length ?? 0,
    )
    if (running > 0) throw new OperationError({ code: 'requests_running', account: reference, running })
    if (balanceNanoUsd > 0) throw new OperationError({ code: 'balance_left', account: reference, balanceNanoUsd })
    stores.erasures.erase(id, caller.actor)
    return { account: id, erasedMs: stores.erasures.timeMs(id), backups, copies: stores.erasures.copies() }
  },
  afterwards: ({ stores, server }) => stores.erasures.settle({ takesTime: server === undefined }),
  undo: ({ stores }) => stores.erasures.withdraw(),
})
