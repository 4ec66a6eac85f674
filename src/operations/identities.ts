/** Operations on the identities by which accounts sign in at identity providers. */
import { Type } from '@sinclair/typebox'
import type { PauseDays } from '../accounts/identities.ts'
import { auditors } from '../core/roles.ts'
import { accountReference, lineOf } from './fields.ts'
import { findAccount } from './find-account.ts'
import { type OperationServices, operation } from './operation.ts'
import { OperationError } from './problem.ts'

export const providerName = lineOf('is the name of an identity provider', 32)

/** Lists the identities that sign in an account. */
export const listIdentities = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({ account: accountReference }),
  run: ({ stores }, { account }) => stores.identities.list(findAccount(stores, account).id),
})

/** Takes an account's identity of a provider away, which ends the sessions that began with it. */
export const unlinkIdentity = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ account: accountReference, provider: providerName }),
  run: (context, { account, provider: name }) => {
    const { stores, caller } = context
    const { id: accountId } = findAccount(stores, account)
    const found = stores.identities.list(accountId).filter((identity) => identity.provider === name)
    if (found.length === 0) throw new OperationError({ code: 'not_found', what: 'identity provider', name })
    for (const identity of found) stores.identities.remove(accountId, identity)
    stores.identities.admit(pauseDays(context), accountId)
    const ended = stores.sessions.endOfProvider(name, { accountId })
    const details = { provider: name, ended }
    stores.audit.append({ actor: caller.actor, action: 'identity.unlink', accountId, details })
    return { account: accountId, ended }
  },
})

/** Returns the days without a sign-in after which keys pause, by provider. */
export function pauseDays({ identityProviders }: OperationServices): PauseDays {
  const days = identityProviders?.list().map(({ name, pauseKeysDays }) => [name, pauseKeysDays])
  return Object.fromEntries(days ?? [])
}
