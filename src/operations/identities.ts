/** Signing in by an identity provider, which makes, finds or refuses an account. */
import { Type } from '@sinclair/typebox'
import type { AccountRow } from '../accounts/account-row.ts'
import { type EmailAddress, isSameMailbox, parseEmail, parseNewEmail } from '../accounts/email-address.ts'
import type { PauseDays } from '../accounts/identities.ts'
import type { Identity } from '../accounts/oidc/identity-claims.ts'
import { ProviderError } from '../accounts/oidc/provider-error.ts'
import { type Limits, strictest } from '../billing/limits.ts'
import { hourMs } from '../core/durations.ts'
import type { GroupLimits, IdentityProvider } from '../core/identity-provider.ts'
import { isStaff, roles } from '../core/roles.ts'
import { accountReference, lineOf, plainText } from './fields.ts'
import { existingAccount, findAccount } from './find-account.ts'
import { type OperationContext, type OperationServices, ofServer, operation } from './operation.ts'
import { OperationError, type Problem } from './problem.ts'
import { beginSession } from './sessions.ts'
import { changeRole } from './staff.ts'

const provider = lineOf('is the name of an identity provider', 32)

/**
 * Begins a session by a provider's answer, or gives the identity to the account that is signed in and asked for this.
 * People are found by issuer and subject. A mail address finds an account only when the provider has proven it, for the
 * first sign-in, and never an operator's.
 */
export const signInByProvider = operation({
  callers: ['anybody'],
  kind: 'write',
  input: Type.Object({
    provider,
    url: plainText(20_000),
    browser: plainText(100),
    /** Secret of the browser's session. */
    session: Type.Optional(plainText(100)),
  }),
  prepare: async (context, { provider: name, url, browser }) => {
    const providers = ofServer(context.identityProviders)
    const settings = providers.find(name)
    if (settings === undefined) throw new OperationError({ code: 'not_found', what: 'identity provider', name })
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
    const accountId = accountFor(context, { identity, settings, linkTo, session })
    const account = existingAccount(stores, accountId)
    if (account.disabledMs !== undefined) throw refused(context, settings, { code: 'account_disabled' })
    followAddress(context, account, identity)
    stores.identities.record(identity)
    stores.identities.admit(pauseDays(context), accountId)
    followGroups(context, account, { identity, settings })
    // The former session may be another person's.
    if (session !== undefined) stores.sessions.end(session)
    const by = { provider: settings.name, id: identity.sessionId, lifetimeMs: settings.sessionHours * hourMs }
    const begun = beginSession(stores, accountId, {
      isStaff: givesStaff(existingAccount(stores, accountId), settings),
      // The provider decides whether one is needed, and which.
      hasSecondFactor: true,
      client: caller.client,
      by,
    })
    return { ...begun, to }
  },
})

/** Returns whether a sign-in by a provider gives rights of staff: its groups do, or a role that was given by hand. */
function givesStaff({ role, roleSource }: AccountRow, { roles: groups }: IdentityProvider): boolean {
  return isStaff(role) && (roleSource === 'hand' || groups.size > 0)
}

interface Arriving {
  readonly identity: Identity
  readonly settings: IdentityProvider
  /** Account that asked for the identity while it was signed in. */
  readonly linkTo: string | undefined
  readonly session: string | undefined
}

/** Returns the account of a person: known, linked or new. Throws OperationError. */
function accountFor(context: Signing, { identity, settings, linkTo, session }: Arriving): string {
  const { stores } = context
  const no = (code: 'oidc_no_account' | 'oidc_email_unverified' | 'oidc_taken') =>
    refused(context, settings, { code, provider: settings.label })
  const known = stores.identities.find(identity)
  if (linkTo !== undefined) {
    const signedIn = session === undefined ? undefined : stores.sessions.find(session)
    // Staff need the session of a password: a mailbox alone must not lead to their rights.
    const isRight = signedIn?.accountId === linkTo && signedIn.role === stores.accounts.roleOf(linkTo)
    if (!isRight) throw new OperationError({ code: 'not_signed_in' })
    if (known !== undefined && known.accountId !== linkTo) throw no('oidc_taken')
    return known?.accountId ?? link(context, linkTo, identity)
  }
  if (known !== undefined) return known.accountId
  const email = identity.email === undefined ? undefined : parseEmail(identity.email)
  if (email === undefined || !identity.isEmailProven) throw no('oidc_email_unverified')
  const owner = stores.accounts.findByEmail(email.address)
  if (owner === undefined) {
    if (!settings.createAccounts) throw no('oidc_no_account')
    const id = create(context, email, identity)
    if (id === undefined) throw no('oidc_email_unverified')
    return id
  }
  // A second person of one issuer with the same address has got it from somebody who left.
  const isOther = stores.identities.list(owner.id).some(({ issuer }) => issuer === identity.issuer)
  const isOwn = isSameMailbox(owner.email ?? '', email.address)
  if (isStaff(owner.role) || isOther || !isOwn) throw no('oidc_no_account')
  proveAddress(context, owner)
  return link(context, owner.id, identity)
}

/** Throws a provider's problem as this table's error. */
export function asProblem(error: unknown): never {
  throw error instanceof ProviderError ? new OperationError(error.problem) : error
}

/** Reports that a person was refused, after the transaction that the error undoes, and returns the error. */
function refused({ stores }: OperationServices, { name }: IdentityProvider, problem: Problem): OperationError {
  queueMicrotask(() => stores.events.emit({ type: 'identity.refused', provider: name, code: problem.code }))
  return new OperationError(problem)
}

function pauseDays({ identityProviders }: OperationServices): PauseDays {
  const days = identityProviders?.list().map(({ name, pauseKeysDays }) => [name, pauseKeysDays])
  return Object.fromEntries(days ?? [])
}

type Signing = OperationContext<'anybody'>

function create({ stores, rules }: Signing, email: EmailAddress, identity: Identity): string | undefined {
  const address = parseNewEmail(email.address)
  const id = address && stores.accounts.create({ email: address, name: identity.name })
  if (id === undefined) return undefined
  stores.accounts.confirm(id, rules.starterCreditNanoUsd)
  stores.identities.add(id, identity)
  return id
}

function link({ stores: { identities, audit } }: Signing, accountId: string, identity: Identity): string {
  identities.add(accountId, identity)
  const details = { provider: identity.provider }
  audit.append({ actor: `account:${accountId}`, action: 'identity.link', accountId, details })
  return accountId
}

/**
 * Makes the address the account's as a mailed link does: anybody may have signed up with it, so that the first proof
 * ends the former password, identities and sessions.
 */
function proveAddress(
  { stores: { accounts, audit, sessions, identities }, rules }: Signing,
  account: AccountRow,
): void {
  const { id: accountId, email: address = '' } = account
  const linked = identities.list(accountId)
  const isProven = audit.hasUsedLink(accountId) || linked.some(({ email }) => isSameMailbox(email ?? '', address))
  if (!isProven) {
    accounts.forgetPassword(accountId)
    for (const identity of linked) identities.remove(accountId, identity)
    sessions.endAll(accountId)
  }
  accounts.confirm(accountId, rules.starterCreditNanoUsd)
}

/**
 * Gives an account the highest role, the teams and the strictest limits of its person's groups. What was given by hand
 * stays.
 */
function followGroups(context: Signing, account: AccountRow, { identity, settings }: Grouped): void {
  const { stores } = context
  const isIn = (groups: readonly string[]) => groups.some((group) => identity.groups.includes(group))
  if (settings.roles.size > 0) {
    const role = roles.findLast((each) => isIn(settings.roles.get(each) ?? []))
    changeRole(stores, account, { role: role ?? 'member', source: 'groups', actor: 'system' })
  }
  for (const [name, groups] of settings.teams) followTeam(context, account.id, { name, isMember: isIn(groups) })
  if (settings.limits.size === 0) return
  const limits = [...settings.limits].flatMap(([group, each]) =>
    isIn([group]) ? [withCanonicalIds(context, each)] : [],
  )
  const strict = limits.reduce<Limits>(strictest, {})
  if (Bun.deepEquals(strict, stores.limits.bySource(account.id).groups ?? {})) return
  stores.limits.set(account.id, strict, 'groups')
  const details = { subject: account.id, source: 'groups', limits: JSON.parse(JSON.stringify(strict)) }
  stores.audit.append({ actor: 'system', action: 'limits.set', accountId: account.id, details })
}

/** Lets a person join or leave a team. Teams that do not exist are left out. */
function followTeam(
  { stores }: Signing,
  accountId: string,
  { name, isMember }: { readonly name: string; readonly isMember: boolean },
): void {
  const team = stores.teams.find(name)
  if (team === undefined) return
  const source = 'groups'
  const former = stores.teams.membership(team, accountId)
  // Groups make members; who manages a team is decided by hand.
  const hasChanged = isMember
    ? former === undefined && stores.teams.join(team, accountId, { role: 'member', source })
    : stores.teams.leave(team, accountId, source) !== undefined
  const action = isMember ? 'team.join' : 'team.leave'
  if (hasChanged) stores.audit.append({ actor: 'system', action, accountId, details: { team, source } })
}

function withCanonicalIds({ models }: Signing, { models: names, ...limits }: GroupLimits): Limits {
  return { ...limits, ...(names && { models: names.map((name) => models?.find(name) ?? name) }) }
}

type Grouped = Pick<Arriving, 'identity' | 'settings'>

/** Gives an account the new address of its person, if it had the former one and nobody else has the new one. */
function followAddress({ stores }: Signing, { id, email: present }: AccountRow, identity: Identity): void {
  const email = identity.isEmailProven ? parseNewEmail(identity.email ?? '') : undefined
  const former = stores.identities.find(identity)?.email
  if (email === undefined || present === undefined || present !== former || stores.accounts.hasEmail(email)) return
  stores.accounts.setEmail(id, email)
  stores.audit.append({ actor: `account:${id}`, action: 'account.email', accountId: id, details: {} })
}

/**
 * Returns why the person's groups do not admit them; undefined if they do. For a person known here their sessions of the
 * provider end, as does a role that groups gave, and their keys pause.
 */
function refuseLeaver(context: Signing, settings: IdentityProvider, identity: Identity): Problem | undefined {
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

/** Ends the sessions that a provider's logout token names. */
export const endByProvider = operation({
  callers: ['anybody'],
  kind: 'write',
  input: Type.Object({ provider, token: plainText(20_000) }),
  prepare: async ({ identityProviders }, { provider: name, token }) => {
    const providers = ofServer(identityProviders)
    const settings = providers.find(name)
    if (settings === undefined) throw new OperationError({ code: 'not_found', what: 'identity provider', name })
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

/** Lists the identities that sign in an account. */
export const listIdentities = operation({
  callers: ['operator'],
  roles: ['auditor', 'operator'],
  kind: 'read',
  input: Type.Object({ account: accountReference }),
  run: ({ stores }, { account }) => stores.identities.list(findAccount(stores, account).id),
})

/** Takes an account's identity of a provider away, which ends the sessions that began with it. */
export const unlinkIdentity = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ account: accountReference, provider }),
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
