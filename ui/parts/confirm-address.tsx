import { useState } from 'preact/hooks'
import { offlineSinceMs } from '../api/connection.ts'
import { asFailure, type RequestFailure } from '../api/failure.ts'
import { perform } from '../api/own-operation.ts'
import { me, status } from '../api/session.ts'
import { texts } from '../texts/texts.ts'
import { announce } from './announce.tsx'
import { FailureBox } from './failure-box.tsx'
import { pendingCredit } from './play/pending-credit.ts'

/**
 * Shows that the address is not confirmed, with a button that mails the link again. Nothing if it is confirmed or
 * there is none.
 */
export function ConfirmAddress() {
  const [failure, setFailure] = useState<RequestFailure>()
  const [isSending, setIsSending] = useState(false)
  const own = me.value
  if (own === undefined || own.isConfirmed || own.email === null) return null
  const credit = pendingCredit()
  const resend = async () => {
    setIsSending(true)
    setFailure(undefined)
    try {
      const { isConfirmed } = await perform('accounts-resend-confirmation', {})
      announce(isConfirmed ? texts.ownAccount.isConfirmed : texts.ownAccount.linkSent)
    } catch (error) {
      setFailure(asFailure(error))
    } finally {
      setIsSending(false)
    }
  }
  return (
    <section class="card stack">
      <h2>{texts.ownAccount.confirmTitle}</h2>
      <p>
        {texts.ownAccount.confirm(own.email)} {credit !== undefined && texts.play.confirmFirst(credit)}
      </p>
      {status.value?.sends_mail === false ? (
        <p class="muted">{texts.ownAccount.confirmNoMail}</p>
      ) : (
        <div>
          <button
            type="button"
            disabled={isSending || offlineSinceMs.value !== undefined}
            onClick={() => void resend()}
          >
            {texts.ownAccount.resend}
          </button>
        </div>
      )}
      {failure !== undefined && <FailureBox failure={failure} />}
    </section>
  )
}
