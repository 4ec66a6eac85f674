import { Type } from '@sinclair/typebox'
import { mailLink } from '../mail/mail-link.ts'
import { OperationError } from './errors.ts'
import { lineOf, wholeNumber } from './fields.ts'
import { operation } from './operation.ts'

/** Mails that wait, or all there were, the latest first. Their links are not in them. */
export const listMails = operation({
  kind: 'read',
  input: Type.Object({
    isWaiting: Type.Boolean({ description: 'waiting is true or false' }),
    limit: wholeNumber('--limit must be a whole number from 1 to 100000', { min: 1, max: 100_000 }),
  }),
  run: ({ stores }, input) => stores.outbox.list(input),
})

/** Makes the link of a mail, to be handed over by other means; the mail is not sent then. */
export const openMail = operation({
  kind: 'write',
  input: Type.Object({ mail: lineOf('a mail is named by its id (mail_…)', 100) }),
  run: ({ stores, actor, baseUrl }, { mail: id }) => {
    const mail = stores.outbox.find(id)
    if (mail === undefined) throw new OperationError(`there is no mail "${id}"; 'inferd outbox' shows those that wait`)
    const { accountId, purpose, address } = mail
    const token = stores.mailTokens.mint(accountId, purpose)
    stores.outbox.markSent(id)
    stores.audit.append({ actor, action: 'mail.open', accountId, details: { mail: id, purpose } })
    return { id, account: accountId, address, purpose, link: mailLink(purpose, token, baseUrl) }
  },
})
