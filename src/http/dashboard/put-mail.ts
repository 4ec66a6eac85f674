import type { MailPurpose } from '../../mail/outbox.ts'
import type { HttpServices } from '../services.ts'

const hourMs = 60 * 60 * 1000
/** Of one purpose, to one account. */
const mostPerHour = 5

/**
 * Puts a mail to an account into the outbox, unless there is no account or it had enough mails of that kind. Takes as long
 * in either case: nobody may learn which it was.
 */
export async function putMail(
  { stores, mails, clock }: HttpServices,
  accountId: string | undefined,
  purpose: MailPurpose,
): Promise<void> {
  const { commits, outbox } = stores
  await commits.run(() => {
    const hasFew = outbox.countSince(accountId ?? '', purpose, clock() - hourMs) < mostPerHour
    if (accountId !== undefined && hasFew) outbox.add(accountId, purpose)
    else outbox.addNothing()
  })
  mails.wake()
}
