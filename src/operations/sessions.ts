/** Signing in to the dashboard, by a password or a mailed link, and out. */
import { Type } from '@sinclair/typebox'
import { parseEmail } from '../accounts/email-address.ts'
import { verifyPassword } from '../accounts/passwords.ts'
import type { MailPurpose } from '../mail/outbox.ts'
import { plainText } from './fields.ts'
import { type OperationServices, operation } from './operation.ts'
import { OperationError } from './problem.ts'

/** Begins a session by address and password. The same error, after the same time, whichever of the two is wrong. */
export const signIn = operation({
  callers: ['anybody'],
  kind: 'write',
  input: Type.Object({ email: plainText(320), password: plainText(1000) }),
  prepare: async ({ stores, limits, caller: { network } }, { email: text, password }) => {
    const email = parseEmail(text)
    const wasRight = limits.passwordGuesses.begin({ account: email?.key ?? text.slice(0, 100), network })
    const facts = email === undefined ? undefined : stores.accounts.signInFacts(email)
    const isRight = await verifyPassword(password, facts?.passwordHash)
    if (facts === undefined || !isRight) throw new OperationError({ code: 'invalid_credentials' })
    return { ...facts, wasRight }
  },
  run: ({ stores }, _, { accountId, passwordHash, wasRight }) => {
    // Changed meanwhile: nobody may come in by the old password.
    if (stores.accounts.passwordHash(accountId) !== passwordHash)
      throw new OperationError({ code: 'invalid_credentials' })
    wasRight()
    return beginSession(stores, accountId, { isByLink: false })
  },
})

/**
 * Begins a session by the secret of a mailed link, which proves that the address is the account's. Attempts are not limited: the
 * secret cannot be guessed, and the owner must get in whatever others do. The first time, a password and sessions from
 * before end, since they may be a stranger's; keys stay, and are in the list.
 */
export const signInByLink = operation({
  callers: ['anybody'],
  kind: 'write',
  input: Type.Object({ token: plainText(200) }),
  run: ({ stores, rules }, { token }) => {
    const { mailTokens, accounts, sessions, audit } = stores
    const verdict = mailTokens.consume(token, 'sign-in')
    if (verdict.kind !== 'ok') throw new OperationError({ code: 'invalid_link' })
    const { accountId } = verdict
    accounts.confirm(accountId, rules.starterCreditNanoUsd)
    // Anybody may have signed up with this address, and its owner may have opened the link in the mail about it: the
    // stranger's ways back in end when the owner first signs in.
    if (!audit.hasUsedLink(accountId)) {
      accounts.forgetPassword(accountId)
      sessions.endAll(accountId)
    }
    return beginSession(stores, accountId, { isByLink: true })
  },
})

/** Mails a link that signs in. The same result, after the same time, whether or not the address has an account. */
export const sendSignInLink = operation({
  callers: ['anybody'],
  kind: 'write',
  putsMail: true,
  input: Type.Object({ email: plainText(320) }),
  prepare: async ({ limits, caller }) => limits.linksOfNetworks.take(caller.network),
  run: (context, { email: text }) => {
    const email = parseEmail(text)
    const facts = email === undefined ? undefined : context.stores.accounts.signInFacts(email)
    putMail(context, facts?.accountId, 'sign-in')
    return { sendsMail: context.rules.sendsMail }
  },
})

/** Ends a session, if there is one with this secret. */
export const signOut = operation({
  callers: ['anybody'],
  kind: 'write',
  input: Type.Object({ session: plainText(200) }),
  run: ({ stores }, { session }) => stores.sessions.end(session),
})

/** The session's secret is in the result and nowhere else. */
function beginSession(
  { audit, sessions }: OperationServices['stores'],
  accountId: string,
  details: { readonly isByLink: boolean },
): { accountId: string; secret: string } {
  audit.append({ actor: `account:${accountId}`, action: 'session.begin', accountId, details: { ...details } })
  return { accountId, secret: sessions.begin(accountId, details) }
}

const hourMs = 60 * 60 * 1000
/** Of one purpose, to one account. */
const maximumMailsPerHour = 5

/**
 * Puts a mail to an account into the outbox, unless there is no account or it had enough mails of that kind. Takes as long
 * in either case, so that nobody learns which it was.
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
