/** Operations on sessions, for their account and for the operator. */
import { Type } from '@sinclair/typebox'
import { auditors } from '../core/roles.ts'
import { accountReference, lineOf } from './fields.ts'
import { scopeOf } from './find-account.ts'
import { actorOf, type OperationContext, operation } from './operation.ts'
import { OperationError } from './problem.ts'

const account = Type.Optional(accountReference)

function accountOf(context: OperationContext<'operator' | 'account'>, reference: string | undefined): string {
  const id = scopeOf(context, reference) ?? context.caller.accountId
  if (id !== undefined) return id
  throw new OperationError({ code: 'invalid_input', field: 'account', rule: 'is named by its mail address or its id' })
}

/** Lists an account's valid sessions, at most a hundred, the latest first. Defaults to the caller's own account. */
export const listSessions = operation({
  callers: ['operator', 'account'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({ account }),
  run: (context, { account: reference }) => {
    const { stores, caller } = context
    const own = caller.session === undefined ? undefined : stores.sessions.find(caller.session)?.id
    const accountId = accountOf(context, reference)
    return stores.sessions.list(accountId).map((session) => ({ ...session, isCurrent: session.id === own }))
  },
})

/** Ends one session of an account, or without an id all except the caller's own. */
export const endSessions = operation({
  callers: ['operator', 'account'],
  kind: 'write',
  changeLimit: 'minute',
  input: Type.Object({ account, session: Type.Optional(lineOf('is named by its id (ses_…)', 100)) }),
  run: (context, { account: reference, session: id }) => {
    const { stores, caller } = context
    const accountId = accountOf(context, reference)
    const ended =
      id === undefined
        ? stores.sessions.endOthers(accountId, caller.session ?? '')
        : Number(stores.sessions.endById(accountId, id))
    if (id !== undefined && ended === 0) throw new OperationError({ code: 'not_found', what: 'session', name: id })
    if (ended === 0) return { account: accountId, ended }
    const details = { ended, ...(id !== undefined && { session: id }) }
    stores.audit.append({ actor: actorOf(caller), action: 'session.end', accountId, details })
    return { account: accountId, ended }
  },
})
