import type { MailPurpose } from '../../mail/outbox.ts'
import type { HttpServices } from '../services.ts'

const hourMs = 60 * 60 * 1000
/** Of one purpose, to one account. */
const mostPerHour = 5

/** Puts a mail to an account into the outbox, unless it had enough of that kind. Whether, is nobody's to know. */
export async function putMail(
  { stores, mails, clock }: HttpServices,
  accountId: string,
  purpose: MailPurpose,
): Promise<void> {
  const { commits, outbox } = stores
  await commits.run(() => {
    if (outbox.countSince(accountId, purpose, clock() - hourMs) < mostPerHour) outbox.add(accountId, purpose)
  })
  mails.wake()
}
