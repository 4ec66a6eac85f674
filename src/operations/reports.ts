/** What the books say: ledger, usage, audit log, and whether all of it adds up. */
import { Type } from '@sinclair/typebox'
import { type UsageGrouping, usageGroupings } from '../billing/usage-report.ts'
import { accountReference, lineOf, page } from './fields.ts'
import { scopeOf } from './find-account.ts'
import { operation } from './operation.ts'
import { OperationError } from './problem.ts'

const ofAccount = { account: Type.Optional(accountReference) }

/** Every move of money, the latest first. */
export const listLedger = operation({
  callers: ['operator', 'account'],
  kind: 'read',
  input: Type.Object({ ...ofAccount, ...page }),
  run: (context, input) => context.stores.ledger.list({ ...input, accountId: scopeOf(context, input.account) }),
})

/** What each paid request used and cost, the latest first. */
export const listUsage = operation({
  callers: ['operator', 'account'],
  kind: 'read',
  input: Type.Object({ ...ofAccount, ...page }),
  run: (context, input) => context.stores.usage.list({ ...input, accountId: scopeOf(context, input.account) }),
})

/** When each model was last used, by its id. */
export const listLastUses = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({}),
  run: ({ stores }) => stores.usage.lastUses(),
})

/** Who changed what about accounts, keys and money, the latest first. */
export const listAudit = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({ ...ofAccount, ...page }),
  run: (context, input) => context.stores.audit.list({ ...input, accountId: scopeOf(context, input.account) }),
})

/** Everything about what one request used and cost. */
export const showReceipt = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({ request: lineOf('is what x-request-id of its answer says', 200) }),
  run: ({ stores }, { request }) => {
    const usage = stores.usage.find(request)
    if (usage === undefined) throw new OperationError({ code: 'not_found', what: 'request', name: request })
    return {
      ...usage,
      email: stores.accounts.find(usage.accountId)?.email,
      /** Undefined where nothing was charged. */
      balanceAfterNanoUsd: stores.ledger.ofRequest(request)?.balanceAfterNanoUsd,
    }
  },
})

const grouping = `must be ${usageGroupings.join(', ')}`
const timeMs = Type.Optional(Type.Integer({ description: 'must be a time in milliseconds UTC' }))

/** What was used and what it cost, summed up by day (UTC), model, key or account. */
export const reportUsage = operation({
  callers: ['operator', 'account'],
  kind: 'read',
  input: Type.Object({ by: lineOf(grouping, 10), fromMs: timeMs, toMs: timeMs, ...ofAccount }),
  run: (context, { by, fromMs, toMs, account }) =>
    context.stores.sumUsage({ by: parseGrouping(by), fromMs, toMs, accountId: scopeOf(context, account) }),
})

function parseGrouping(by: string): UsageGrouping {
  const found = usageGroupings.find((name) => name === by)
  if (found === undefined) throw new OperationError({ code: 'invalid_input', field: 'by', rule: grouping, value: by })
  return found
}

/** Whether the database is whole and the money adds up. */
export const checkBooks = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({}),
  run: ({ stores }) => stores.checkIntegrity(),
})
