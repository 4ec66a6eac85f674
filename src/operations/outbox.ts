import { Type } from '@sinclair/typebox'
import { mailLink } from '../mail/compose-mail.ts'
import { lineOf, page, trueOrFalse } from './fields.ts'
import { operation } from './operation.ts'
import { OperationError } from './problem.ts'

/** Mails that wait, or all there were, the latest first. Their links are not in them. */
export const listMails = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({ isWaiting: trueOrFalse(), ...page }),
  run: ({ stores }, input) => stores.outbox.list(input),
})

/** Makes the link of a mail, to be handed over by other means; the mail is not sent then. */
export const openMail = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ mail: lineOf('is named by its id (mail_…)', 100) }),
  run: ({ stores, caller: { actor, baseUrl } }, { mail: id }) => {
    const mail = stores.outbox.find(id)
    if (mail === undefined) throw new OperationError({ code: 'not_found', what: 'mail', name: id })
    const { accountId, purpose, address } = mail
    const token = stores.mailTokens.mint(accountId, purpose)
    stores.outbox.markSent(id)
    stores.audit.append({ actor, action: 'mail.open', accountId, details: { mail: id, purpose } })
    return { id, account: accountId, address, purpose, link: mailLink(purpose, token, baseUrl) }
  },
})
