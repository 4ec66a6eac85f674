/** Page of a mailed sign-in link. It waits for a button because some mail programs open every link. */
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { Form } from '../../parts/form.tsx'
import { Page } from '../../parts/page.tsx'
import { place } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'

export default function SignInByLink() {
  const [token] = useState(takeToken)

  return (
    <Page title={texts.signIn.linkTitle} intro={token === '' ? texts.signIn.linkMissing : texts.signIn.linkText}>
      <div class="card stack">
        {token !== '' && (
          <Form
            button={texts.signIn.button}
            onSend={async () => {
              await request('/dashboard/api/session', { method: 'POST', body: { token }, isForGuests: true })
              location.replace('/dashboard')
            }}
          />
        )}
        <a href="/dashboard/sign-in">{texts.signIn.another}</a>
      </div>
    </Page>
  )
}

/** Returns the secret and removes it from the address, which browsers remember and show, before anything is drawn. */
function takeToken(): string {
  const token = place.value.query.get('token') ?? ''
  history.replaceState(null, '', location.pathname)
  return token
}
