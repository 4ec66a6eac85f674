/** Sign-in by address and password, or by a link in a mail. */
import { useEffect, useState } from 'preact/hooks'
import { asFailure, type RequestFailure } from '../../api/failure.ts'
import { request } from '../../api/request.ts'
import { me, status, takeSilentSignIn } from '../../api/session.ts'
import { nextAddress } from '../../api/signed-out.ts'
import { announce } from '../../parts/announce.tsx'
import { FailureBox } from '../../parts/failure-box.tsx'
import { ownCommand } from '../../parts/own-command.ts'
import { Page } from '../../parts/page.tsx'
import { ProviderLinks } from '../../parts/provider-links.tsx'
import { SignInForm } from '../../parts/sign-in-form.tsx'
import { place } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'

export default function SignIn() {
  const next = nextAddress(place.value.query.get('next'))
  const isSignedIn = me.value !== undefined

  const [silently] = useState(() => (isSignedIn ? undefined : takeSilentSignIn(next)))
  const address = isSignedIn ? next : silently

  useEffect(() => {
    if (address !== undefined) location.replace(address)
  }, [address])

  return (
    <Page title={texts.signIn.title}>
      <div class="card stack">
        <ProviderLinks next={next} />
        {status.value?.local_sign_in !== false && (
          <>
            <SignInForm
              email={place.value.query.get('email') ?? ''}
              // A new document drops everything that the guest's page had loaded.
              onSignedIn={() => location.replace(next)}
            />
            <MailLink />
          </>
        )}
      </div>
      <ul class="other-ways">
        {status.value?.signup_open !== false && (
          <li>
            {texts.signIn.noAccount} <a href="/dashboard/sign-up">{texts.signIn.signUp}</a>
          </li>
        )}
        <li class="muted">
          {texts.signIn.operator} <code>{ownCommand('admin link')}</code>
        </li>
      </ul>
    </Page>
  )
}

/** Sends a link to the address in the form above. */
function MailLink() {
  const [failure, setFailure] = useState<RequestFailure>()
  const sendsMail = status.value?.sends_mail !== false

  const send = async () => {
    const field = document.querySelector<HTMLInputElement>('input[name="email"]')
    if (field?.reportValidity() !== true) return
    setFailure(undefined)
    try {
      const body = { email: field.value }
      const { message } = await request<{ message: string }>('/dashboard/api/sign-in-link', {
        ...{ method: 'POST', isForGuests: true },
        body,
      })
      announce(message)
    } catch (error) {
      setFailure(asFailure(error))
    }
  }

  return (
    <>
      <button type="button" onClick={() => void send()}>
        {sendsMail ? texts.signIn.mailLink : texts.signIn.askForLink}
      </button>
      {failure !== undefined && <FailureBox failure={failure} />}
    </>
  )
}
