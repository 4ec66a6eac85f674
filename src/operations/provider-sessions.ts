/** Signing in by an identity provider, and the sign-out that a provider reports. */
import { Type } from '@sinclair/typebox'
import type { AccountRow } from '../accounts/account-row.ts'
import type { Identity } from '../accounts/oidc/identity-claims.ts'
import type { IdentityProviders } from '../accounts/oidc/identity-providers.ts'
import { ProviderError } from '../accounts/oidc/provider-error.ts'
import { hourMs } from '../core/durations.ts'
import type { IdentityProvider } from '../core/identity-provider.ts'
import { isStaff } from '../core/roles.ts'
import { plainText } from './fields.ts'
import { existingAccount } from './find-account.ts'
import { followGroups } from './follow-groups.ts'
import { pauseDays, providerName } from './identities.ts'
import { type OperationContext, type OperationServices, ofServer, operation } from './operation.ts'
import { OperationError, type Problem } from './problem.ts'
import { accountOfPerson, followAddress } from './provider-account.ts'
import { beginSession } from './sessions.ts'
import { changeRole } from './staff.ts'

/**
 * Begins a session by a provider's answer, or gives the identity to the account that is signed in and asked for this.
 * People are found by issuer and subject. A mail address finds an account only when the provider has proven it, for the
 * first sign-in, and never an operator's.
 */
export const signInByProvider = operation({
  callers: ['anybody'],
  kind: 'write',
  input: Type.Object({
    provider: providerName,
    url: plainText(20_000),
    browser: plainText(100),
    /** Secret of the browser's session. */
    session: Type.Optional(plainText(100)),
  }),
  prepare: async (context, { provider: name, url, browser }) => {
    const { providers, settings } = findProvider(context, name)
    const proven = await providers.finish({ provider: name, url: new URL(url), browser }).catch(asProblem)
    // In a commit of its own, since the sign-in fails.
    const problem = await context.stores.commits.run(() => refuseLeaver(context, settings, proven.identity))
    if (problem !== undefined) {
      context.onWritten?.()
      throw refused(context, settings, problem)
    }
    const known = context.stores.identities.find(proven.identity)
    if (known !== undefined) context.limits.proofs.take(known.accountId)
    return { ...proven, settings }
  },
  run: (context, { session }, { identity, to, linkTo, settings }) => {
    const { stores, caller } = context
    const found = accountOfPerson(context, { identity, settings, linkTo, session })
    if (typeof found === 'object') throw refused(context, settings, found)
    const account = existingAccount(stores, found)
    if (account.disabledMs !== undefined) throw refused(context, settings, { code: 'account_disabled' })
    followAddress(context, account, identity)
    stores.identities.record(identity)
    stores.identities.admit(pauseDays(context), account.id)
    followGroups(context, account, { identity, settings })
    // The former session may be another person's.
    if (session !== undefined) stores.sessions.end(session)
    const by = { provider: settings.name, id: identity.sessionId, lifetimeMs: settings.sessionHours * hourMs }
    const begun = beginSession(stores, account.id, {
      hasRoleRights: givesStaff(existingAccount(stores, account.id), settings),
      // The provider decides whether one is needed, and which.
      hasSecondFactor: true,
      client: caller.client,
      by,
    })
    return { ...begun, to }
  },
})

/** Ends the sessions that a provider's logout token names. */
export const endByProvider = operation({
  callers: ['anybody'],
  kind: 'write',
  input: Type.Object({ provider: providerName, token: plainText(20_000) }),
  prepare: async (context, { provider: name, token }) => {
    const { providers, settings } = findProvider(context, name)
    return { settings, ...(await providers.readLogoutToken(name, token).catch(asProblem)) }
  },
  run: ({ stores }, _, { settings: { name, issuer }, subject, sessionId }) => {
    const known = subject === undefined ? undefined : stores.identities.find({ issuer, subject })
    // Without a session's id all of the person end.
    if (sessionId === undefined && known === undefined) return { ended: 0 }
    const ended = stores.sessions.endOfProvider(name, { accountId: known?.accountId, sessionId })
    const details = { provider: name, ended }
    if (ended > 0) stores.audit.append({ actor: 'system', action: 'session.end', accountId: known?.accountId, details })
    return { ended }
  },
})

/** Throws a provider's problem as this table's error. */
export function asProblem(error: unknown): never {
  throw error instanceof ProviderError ? new OperationError(error.problem) : error
}

function findProvider(
  { identityProviders }: OperationServices,
  name: string,
): { readonly providers: IdentityProviders; readonly settings: IdentityProvider } {
  const providers = ofServer(identityProviders)
  const settings = providers.find(name)
  if (settings === undefined) throw new OperationError({ code: 'not_found', what: 'identity provider', name })
  return { providers, settings }
}

/**
 * Returns why the person's groups do not admit them; undefined if they do. For a person known here their sessions of the
 * provider end, as does a role that groups gave, and their keys pause.
 */
function refuseLeaver(
  context: OperationContext<'anybody'>,
  settings: IdentityProvider,
  identity: Identity,
): Problem | undefined {
  const { stores } = context
  const { label, allowedGroups, name } = settings
  const { groups } = identity
  if (groups === 'too-many') return { code: 'oidc_groups_missing', provider: label }
  if (allowedGroups === undefined || allowedGroups.some((group) => groups.includes(group))) return undefined
  const known = stores.identities.find(identity)
  if (known !== undefined) {
    const { accountId } = known
    stores.identities.record(identity, { isRefused: true })
    stores.identities.admit(pauseDays(context), accountId)
    const ended = stores.sessions.endOfProvider(name, { accountId })
    const details = { provider: name, ended }
    stores.audit.append({ actor: 'system', action: 'identity.refuse', accountId, details })
    if (settings.roles.size > 0) {
      const account = existingAccount(stores, accountId)
      changeRole(stores, account, { role: 'member', source: 'groups', actor: 'system' })
    }
  }
  return { code: 'oidc_no_group', provider: label }
}

/** Reports that a person was refused, after the transaction that the error undoes, and returns the error. */
function refused({ stores }: OperationServices, { name }: IdentityProvider, problem: Problem): OperationError {
  queueMicrotask(() => stores.events.emit({ type: 'identity.refused', provider: name, code: problem.code }))
  return new OperationError(problem)
}

/** Returns whether a sign-in by a provider gives rights of staff: its groups do, or a role that was given by hand. */
function givesStaff({ role, roleSource }: AccountRow, { roles: groups }: IdentityProvider): boolean {
  return isStaff(role) && (roleSource === 'hand' || groups.size > 0)
}
