/** Accounts of people whom an identity provider has proven: found, linked or made. */
import type { AccountRow } from '../accounts/account-row.ts'
import { type EmailAddress, isSameMailbox, parseEmail, parseNewEmail } from '../accounts/email-address.ts'
import type { Identity } from '../accounts/oidc/identity-claims.ts'
import type { IdentityProvider } from '../core/identity-provider.ts'
import { isStaff } from '../core/roles.ts'
import type { OperationContext } from './operation.ts'
import { OperationError, type Problem } from './problem.ts'

type Context = Pick<OperationContext<'anybody'>, 'stores' | 'rules'>

interface ProvenPerson {
  readonly identity: Identity
  readonly settings: IdentityProvider
  /** Account that asked for the identity while it was signed in. */
  readonly linkTo: string | undefined
  /** Secret of the browser's session. */
  readonly session: string | undefined
}

/**
 * Returns the id of a person's account: known, linked now or new. Returns the reason where there is none. Throws
 * OperationError if the session that asked for the identity has ended.
 */
export function accountOfPerson(context: Context, person: ProvenPerson): string | Problem {
  const { identity, settings, linkTo } = person
  const { identities } = context.stores
  const known = identities.find(identity)
  if (linkTo === undefined) return known?.accountId ?? accountByAddress(context, identity, settings)
  requireLinkable(context, linkTo, person.session)
  if (known === undefined) return link(context, linkTo, identity)
  return known.accountId === linkTo ? linkTo : { code: 'oidc_taken', provider: settings.label }
}

/** Throws OperationError unless the session is the account's, with all rights of its role. */
function requireLinkable({ stores }: Context, accountId: string, session: string | undefined): void {
  const signedIn = session === undefined ? undefined : stores.sessions.find(session)
  // Staff need the session of a password: a mailbox alone must not lead to their rights.
  const hasRights = signedIn?.accountId === accountId && signedIn.role === stores.accounts.roleOf(accountId)
  if (!hasRights) throw new OperationError({ code: 'not_signed_in' })
}

/** Links the account with a new person's address, or makes one. */
function accountByAddress(context: Context, identity: Identity, settings: IdentityProvider): string | Problem {
  const { accounts } = context.stores
  const unverified = { code: 'oidc_email_unverified', provider: settings.label } as const
  const noAccount = { code: 'oidc_no_account', provider: settings.label } as const
  const email = identity.email === undefined ? undefined : parseEmail(identity.email)
  if (email === undefined || !identity.isEmailProven) return unverified
  const owner = accounts.findByEmail(email.address)
  if (owner === undefined) return settings.createAccounts ? (create(context, email, identity) ?? unverified) : noAccount
  const isAnothers = isOfPredecessor(context, owner, identity.issuer)
  if (isStaff(owner.role) || isAnothers || !isSameMailbox(owner.email ?? '', email.address)) return noAccount
  proveAddress(context, owner)
  return link(context, owner.id, identity)
}

/**
 * Returns whether an account may be of somebody else at this issuer who left, and whose address a new person has got. It
 * is not if nobody ever proved the address, and the issuer says that the account's person there has another one.
 */
function isOfPredecessor(context: Context, account: AccountRow, byIssuer: string): boolean {
  const persons = context.stores.identities.list(account.id).filter(({ issuer }) => issuer === byIssuer)
  if (persons.length === 0) return false
  return account.confirmedMs !== undefined || isProven(context, account) || persons.some(({ email }) => !email)
}

/** Returns whether a mailed link or a provider has proven the account's address. */
function isProven({ stores: { audit, identities } }: Context, { id, email: address = '' }: AccountRow): boolean {
  return audit.hasUsedLink(id) || identities.list(id).some(({ email }) => isSameMailbox(email ?? '', address))
}

function create({ stores, rules }: Context, email: EmailAddress, identity: Identity): string | undefined {
  const address = parseNewEmail(email.address)
  const id = address && stores.accounts.create({ email: address, name: identity.name })
  if (id === undefined) return undefined
  stores.accounts.confirm(id, rules.starterCreditNanoUsd)
  stores.identities.add(id, identity)
  return id
}

function link({ stores: { identities, audit } }: Context, accountId: string, identity: Identity): string {
  identities.add(accountId, identity)
  const details = { provider: identity.provider }
  audit.append({ actor: `account:${accountId}`, action: 'identity.link', accountId, details })
  return accountId
}

/**
 * Makes the address the account's as a mailed link does: anybody may have signed up with it, so that the first proof
 * ends the former password, identities and sessions.
 */
function proveAddress(context: Context, account: AccountRow): void {
  const { id: accountId } = account
  const { accounts, sessions, identities } = context.stores
  if (!isProven(context, account)) {
    accounts.forgetPassword(accountId)
    for (const identity of identities.list(accountId)) identities.remove(accountId, identity)
    sessions.endAll(accountId)
  }
  accounts.confirm(accountId, context.rules.starterCreditNanoUsd)
}

/** Gives an account the new address of its person, if it had the former one and nobody else has the new one. */
export function followAddress({ stores }: Context, { id, email: present }: AccountRow, identity: Identity): void {
  const email = identity.isEmailProven ? parseNewEmail(identity.email ?? '') : undefined
  const former = stores.identities.find(identity)?.email
  if (email === undefined || present === undefined || present !== former || stores.accounts.hasEmail(email)) return
  stores.accounts.setEmail(id, email)
  stores.audit.append({ actor: `account:${id}`, action: 'account.email', accountId: id, details: {} })
}
