/** Reports on the books: ledger, usage, audit log, and their consistency. */

import { Type } from '@sinclair/typebox'
import { ledgerKinds } from '../billing/ledger.ts'
import { dayMs } from '../core/durations.ts'
import { auditors, bookReaders } from '../core/roles.ts'
import { oneOf, wholeNumber } from '../core/schemas.ts'
import { usageGroupings, usageMeasures } from '../core/usage.ts'
import { withNames } from './account-names.ts'
import { accountReference, lineOf, mustBe, page, trueOrFalse } from './fields.ts'
import { scopeOf } from './find-account.ts'
import { operation, readAside } from './operation.ts'
import { ownKey, shareOf } from './payer.ts'
import { OperationError } from './problem.ts'

const ofAccount = { account: Type.Optional(accountReference) }
const ofModelAndKey = {
  model: Type.Optional(lineOf('is the id of a model', 200)),
  key: Type.Optional(lineOf('is the id of a key', 200)),
}
const timeMs = Type.Optional(Type.Integer({ description: 'must be a time in milliseconds UTC' }))

/** Lists moves of money, all or of one kind, the latest first. */
export const listLedger = operation({
  callers: ['operator'],
  roles: bookReaders,
  kind: 'read',
  input: Type.Object({ ...ofAccount, kind: Type.Optional(mustBe(oneOf(ledgerKinds))), ...page }),
  run: (context, input) =>
    withNames(context, context.stores.ledger.list({ ...input, accountId: scopeOf(context, input.account) })),
})

/** Lists usage and cost of each paid request, the latest first. */
export const listUsage = operation({
  callers: ['operator', 'account'],
  roles: bookReaders,
  kind: 'read',
  input: Type.Object({
    ...ofAccount,
    ...ofModelAndKey,
    fromMs: timeMs,
    toMs: timeMs,
    hasFailed: Type.Optional(trueOrFalse()),
    ...page,
  }),
  run: (context, { account, key: keyId, ...input }) =>
    context.stores.usage.list({ ...input, keyId, ...shareOf(context, account) }),
})

/** Returns the time of each model's last use, by model id. */
export const listLastUses = operation({
  callers: ['operator'],
  roles: bookReaders,
  kind: 'read',
  input: Type.Object({}),
  run: ({ stores }) => stores.usage.lastUses(),
})

/** Lists changes to accounts, keys and money, the latest first, filtered on request. */
export const listAudit = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({
    ...ofAccount,
    actor: Type.Optional(
      lineOf('is a part of what the column WHO says, or of the address or name of that account', 100),
    ),
    action: Type.Optional(lineOf('is a part of what the column WHAT says', 100)),
    ...page,
  }),
  prepare: async (context, { account, ...input }) => {
    const isSearch = input.actor !== undefined || input.action !== undefined
    return readAside(
      isSearch ? context.server?.searchAudit({ ...input, accountId: scopeOf(context, account) }) : undefined,
    )
  },
  run: (context, { account, ...input }, found) =>
    withNames(context, found ?? context.stores.audit.list({ ...input, accountId: scopeOf(context, account) })),
})

/** Lists entries with their chain, the oldest first, for a log elsewhere. */
export const exportAudit = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({
    sinceMs: timeMs,
    afterId: Type.Optional(mustBe(wholeNumber(0, Number.MAX_SAFE_INTEGER))),
    limit: page.limit,
  }),
  run: ({ stores }, input) => stores.exportAudit(input),
})

/** Verifies that no entry was changed, added or removed since it was written. */
export const verifyAudit = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({}),
  prepare: async ({ server }) => server?.verifyAudit(),
  run: ({ stores }, _, verdict) => verdict ?? stores.verifyAudit(),
})

/** Returns usage and cost of one request in full. */
export const showReceipt = operation({
  callers: ['operator', 'account'],
  roles: bookReaders,
  kind: 'read',
  input: Type.Object({ request: lineOf('is what x-request-id of its answer says', 200) }),
  run: ({ stores, caller }, { request }) => {
    const usage = stores.usage.find(request)
    // The request of another account, or of another member, counts as unknown.
    const isShown =
      usage !== undefined && (caller.kind === 'operator' || ownKey({ stores, caller }, usage.keyId) !== undefined)
    if (!isShown) throw new OperationError({ code: 'not_found', what: 'request', name: request })
    return {
      ...usage,
      email: stores.accounts.find(usage.accountId)?.email,
      /** Balance after the charge. Undefined if nothing was charged. */
      balanceAfterNanoUsd: stores.ledger.ofRequest(request)?.balanceAfterNanoUsd,
    }
  },
})

const description = `takes one or two of ${usageGroupings.join(', ')}`
const by = Type.Array(
  { ...oneOf(usageGroupings), description },
  { description, minItems: 1, maxItems: 2, uniqueItems: true },
)

/**
 * Sums usage and cost by day (UTC), model, key, holder or account, or by two of them, the largest of the measure first.
 * Models, keys, holders or accounts beyond `limit` form one row with an empty id.
 */
export const reportUsage = operation({
  callers: ['operator', 'account'],
  roles: bookReaders,
  kind: 'read',
  input: Type.Object({
    by,
    measure: Type.Optional(mustBe(oneOf(usageMeasures))),
    fromMs: timeMs,
    toMs: timeMs,
    limit: page.limit,
    ...ofModelAndKey,
    ...ofAccount,
  }),
  prepare: async (context, { account, key: keyId, ...query }) => {
    if (context.caller.kind === 'account' && query.by.includes('account')) {
      throw new OperationError({
        code: 'invalid_input',
        field: 'by',
        rule: 'takes one or two of day, model, key, holder',
      })
    }
    const { fromMs = Number.NEGATIVE_INFINITY, toMs = context.clock() } = query
    const isShort = toMs - fromMs <= 7 * dayMs || shareOf(context, account).accountId !== undefined
    // In a thread, since a report of all accounts takes tens of milliseconds per month and would block the server.
    return isShort ? undefined : context.server?.sumUsage({ ...query, keyId })
  },
  run: (context, { account, key: keyId, ...query }, report) =>
    report ?? context.stores.sumUsage({ ...query, keyId, ...shareOf(context, account, { forManagers: true }) }),
})

/** Sums all money by place and origin. */
export const sumBooks = operation({
  callers: ['operator'],
  roles: bookReaders,
  kind: 'read',
  input: Type.Object({}),
  run: ({ stores }) => stores.sumBooks(),
})

/** Checks whether the database is intact and the money adds up. */
export const checkBooks = operation({
  callers: ['operator'],
  roles: bookReaders,
  kind: 'read',
  input: Type.Object({}),
  prepare: async ({ server }) => server?.checkBooks(),
  run: ({ stores }, _, report) => report ?? stores.checkIntegrity(),
})
