/** Signing in by a password or a mailed link, and signing out. */
import { Type } from '@sinclair/typebox'
import { parseEmail } from '../accounts/email-address.ts'
import { verifyPassword } from '../accounts/passwords.ts'
import type { NewSession } from '../accounts/sessions.ts'
import { hourMs } from '../core/durations.ts'
import { isStaff, type Role } from '../core/roles.ts'
import { mailLink } from '../mail/compose-mail.ts'
import type { MailPurpose } from '../mail/outbox.ts'
import { accountReference, plainText } from './fields.ts'
import { findAccount, requireGivable } from './find-account.ts'
import { type OperationServices, operation } from './operation.ts'
import { OperationError } from './problem.ts'
import { factorCode, requireCode } from './second-factor.ts'

/**
 * Begins a session by address and password, with the rights of the account's role. Fails with the same
 * error after the same time, whichever of both is wrong. The operator's own account has no address and signs in by its
 * name. An account with a second factor needs its code as well, which is looked at once the password is right.
 */
export const signIn = operation({
  callers: ['anybody'],
  kind: 'write',
  input: Type.Object({ email: plainText(320), password: plainText(1000), code: Type.Optional(factorCode) }),
  prepare: async ({ stores, limits, rules, caller }, { email: text, password, code }) => {
    const { network, isLocal = false } = caller
    const { sendsMail, localSignIn } = rules
    if (localSignIn === 'off' && !isLocal) throw new OperationError({ code: 'local_sign_in_off' })
    const email = parseEmail(text)
    const facts = stores.accounts.operatorSignInFacts(text) ?? (email && stores.accounts.signInFacts(email))
    // Counts guesses per account, in whatever spelling the name was sent.
    const account = facts?.accountId ?? email?.key ?? text.trim().toLowerCase().slice(0, 100)
    const wasRight = limits.passwordGuesses.begin({ account, network })
    const isRight = await verifyPassword(password, facts?.passwordHash)
    if (facts === undefined || !isRight) throw new OperationError({ code: 'invalid_credentials', sendsMail })
    // Limited too, since each sign-in leaves rows.
    limits.proofs.take(facts.accountId)
    wasRight()
    const takesCode = code !== undefined && stores.secondFactors.has(facts.accountId)
    return { ...facts, codeWasRight: takesCode ? limits.codeGuesses.begin(facts.accountId) : () => undefined }
  },
  run: ({ stores, rules, caller: { client } }, { code }, { accountId, passwordHash, codeWasRight }) => {
    const { sendsMail, localSignIn } = rules
    // The password was changed meanwhile, and the old one must not sign in.
    if (stores.accounts.passwordHash(accountId) !== passwordHash)
      throw new OperationError({ code: 'invalid_credentials', sendsMail })
    const role = stores.accounts.roleOf(accountId)
    if (localSignIn === 'staff' && !isStaff(role)) throw new OperationError({ code: 'local_sign_in_off' })
    if (localSignIn === 'off' && role !== 'operator') throw new OperationError({ code: 'local_sign_in_off' })
    const hasSecondFactor = requireCode(stores, accountId, { code, wasRight: codeWasRight })
    return beginSession(stores, accountId, { hasRoleRights: isStaff(role), hasSecondFactor, client })
  },
})

/**
 * Begins a session by the secret of a mailed link, which proves that the address is the account's. Attempts are not
 * limited, since the secret cannot be guessed and the owner must always get in. The first use ends the former password
 * and sessions, which may be a stranger's; keys stay, and the list shows them.
 */
export const signInByLink = operation({
  callers: ['anybody'],
  kind: 'write',
  input: Type.Object({ token: plainText(200) }),
  run: ({ stores, rules, caller: { client } }, { token }) => {
    if (rules.localSignIn !== 'all') throw new OperationError({ code: 'local_sign_in_off' })
    const { mailTokens, accounts, sessions, audit } = stores
    const verdict = mailTokens.consume(token, 'sign-in')
    if (verdict.kind !== 'ok') throw new OperationError({ code: 'invalid_link' })
    const { accountId } = verdict
    accounts.confirm(accountId, rules.starterCreditNanoUsd)
    // Anybody may have signed up with this address, and its owner may have confirmed it by the mailed link. So the
    // first sign-in by a link ends a stranger's password and sessions. The password of staff comes from a setup link
    // and stays.
    if (!audit.hasUsedLink(accountId) && !isStaff(accounts.roleOf(accountId))) {
      accounts.forgetPassword(accountId)
      sessions.endAll(accountId)
    }
    // A mailbox gives no rights of staff: the session has none.
    return beginSession(stores, accountId, { isByLink: true, client })
  },
})

/** Mails a sign-in link. Returns the same result after the same time, whether or not the address has an account. */
export const sendSignInLink = operation({
  callers: ['anybody'],
  kind: 'write',
  putsMail: true,
  input: Type.Object({ email: plainText(320) }),
  prepare: async ({ limits, rules, caller }) => {
    if (rules.localSignIn !== 'all') throw new OperationError({ code: 'local_sign_in_off' })
    limits.linksOfNetworks.take(caller.network)
  },
  run: (context, { email: text }) => {
    const email = parseEmail(text)
    const facts = email === undefined ? undefined : context.stores.accounts.signInFacts(email)
    putMail(context, facts?.accountId, 'sign-in')
    return { sendsMail: context.rules.sendsMail }
  },
})

/** Ends the session with this secret, if there is one. */
export const signOut = operation({
  callers: ['anybody'],
  kind: 'write',
  input: Type.Object({ session: plainText(200) }),
  run: ({ stores: { sessions, audit } }, { session: secret }) => {
    const session = sessions.find(secret)
    sessions.end(secret)
    if (session === undefined) return
    const { id, accountId } = session
    const details = { ended: 1, session: id }
    audit.append({ actor: `account:${accountId}`, action: 'session.end', accountId, details })
  },
})

/** Makes a sign-in link for the operator to hand over. It works once, and ends the account's earlier ones. */
export const makeSignInLink = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ account: accountReference }),
  run: (context, { account: reference }) => {
    const { stores, caller } = context
    const { id, email } = findAccount(stores, reference)
    if (email === undefined) throw new OperationError({ code: 'no_address', account: reference })
    requireGivable(context, id, 'gets links on the command line alone')
    stores.mailTokens.spendSignInLinks(id)
    const token = stores.mailTokens.mint(id, 'sign-in', caller.accountId)
    stores.audit.append({ actor: caller.actor, action: 'account.link', accountId: id, details: {} })
    return { account: id, address: email, link: mailLink('sign-in', token, caller.baseUrl) }
  },
})

/**
 * Begins a session. Only the result has its secret. Throws OperationError while the account waits for a sign-in by its
 * identity provider.
 */
export function beginSession(
  { audit, sessions }: OperationServices['stores'],
  accountId: string,
  session: NewSession,
): { accountId: string; secret: string; role: Role } {
  const { isByLink = false, hasRoleRights = false, hasSecondFactor = false, by } = session
  audit.append({
    actor: `account:${accountId}`,
    action: 'session.begin',
    accountId,
    details: {
      isByLink,
      ...(hasRoleRights && { isStaff: true }),
      ...(hasSecondFactor && { hasSecondFactor }),
      ...(by && { provider: by.provider }),
    },
  })
  const secret = sessions.begin(accountId, session)
  const begun = sessions.find(secret)
  if (begun === undefined) throw new OperationError({ code: 'identity_paused' })
  return { accountId, secret, role: begun.role }
}

/** Limit of mails of one purpose per account and hour. */
const maximumMailsPerHour = 5

/**
 * Puts a mail to an account into the outbox, unless there is no account or it had enough mails of that purpose. Takes
 * the same time in all cases, so that nobody learns which it was.
 */
export function putMail(
  { stores: { outbox }, clock }: OperationServices,
  accountId: string | undefined,
  purpose: MailPurpose,
): void {
  const hasFew = outbox.countSince(accountId ?? '', purpose, clock() - hourMs) < maximumMailsPerHour
  if (accountId !== undefined && hasFew) outbox.add(accountId, purpose)
  else outbox.addNothing()
}
