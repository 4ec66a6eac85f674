import { Type } from '@sinclair/typebox'
import { errorText } from '../core/error-text.ts'
import { auditors } from '../core/roles.ts'
import { mailLink } from '../mail/compose-mail.ts'
import { lineOf, page, trueOrFalse } from './fields.ts'
import { requireGivable } from './find-account.ts'
import { ofServer, operation, runningServer } from './operation.ts'
import { OperationError } from './problem.ts'

/** Lists mails, those that wait or all, the latest first. Leaves out their links. */
export const listMails = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({ isWaiting: trueOrFalse(), ...page }),
  run: ({ stores }, input) => stores.outbox.list(input),
})

const namedMail = Type.Object({ mail: lineOf('is named by its id (mail_…)', 100) })

/** Makes the link of a mail for the operator to hand over. The mail itself is then not sent. */
export const openMail = operation({
  callers: ['operator'],
  kind: 'write',
  input: namedMail,
  run: (context, { mail: id }) => {
    const { stores, caller } = context
    const mail = stores.outbox.find(id)
    if (mail === undefined) throw new OperationError({ code: 'not_found', what: 'mail', name: id })
    const { accountId, purpose, address } = mail
    requireGivable(context, accountId, 'gets links on the command line alone')
    const token = stores.mailTokens.mint(accountId, purpose, caller.accountId)
    stores.outbox.markSent(id)
    stores.audit.append({ actor: caller.actor, action: 'mail.open', accountId, details: { mail: id, purpose } })
    return { id, account: accountId, address, purpose, link: mailLink(purpose, token, caller.baseUrl) }
  },
})

/** Makes a waiting mail due at once, even after the failures that ended automatic attempts. */
export const retryMail = operation({
  callers: ['operator'],
  kind: 'write',
  putsMail: true,
  input: namedMail,
  run: ({ stores, rules, caller: { actor } }, { mail }) => {
    // Nothing would send the mail.
    if (!rules.sendsMail) throw new OperationError({ code: 'no_mail_server' })
    const found = stores.outbox.find(mail)
    if (found === undefined || found.sentMs !== undefined)
      throw new OperationError({ code: 'not_found', what: 'mail', name: mail })
    if (stores.outbox.retry(mail)) stores.audit.append({ actor, action: 'mail.retry', details: { mail } })
    return { id: mail }
  },
})

/** Returns the state of the mail server, and the number of waiting mails. */
export const mailStatus = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({}),
  run: (context) => ({
    server: runningServer(context).mail.state(),
    sender: runningServer(context).mail.sender,
    waiting: context.stores.outbox.countWaiting(),
  }),
})

/** Sends a test mail. Defaults to the sender's own address. */
export const testMail = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({
    to: Type.Optional(
      Type.String({ description: 'must be a mail address', maxLength: 320, pattern: '^[^\\s<>@,;"]+@[^\\s<>@,;"]+$' }),
    ),
  }),
  prepare: async (context, { to }) => {
    const { mail } = runningServer(context)
    if (mail.sender === undefined) throw new OperationError({ code: 'no_mail_server' })
    const address = to ?? mail.sender
    await mail.test(address).catch((error: unknown) => {
      throw new OperationError({ code: 'mail_failed', reason: errorText(error) })
    })
    return address
  },
  run: ({ stores, caller: { actor } }, _, prepared) => {
    const address = ofServer(prepared)
    stores.audit.append({ actor, action: 'mail.test', details: {} })
    return { address }
  },
})
