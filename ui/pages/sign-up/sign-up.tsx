/** Sign-up. The account's first key is shown once, with the next steps. */
import { useState } from 'preact/hooks'
import { request } from '../../api/request.ts'
import { status } from '../../api/session.ts'
import { CodeDrawer } from '../../parts/code-drawer.tsx'
import { exampleCall } from '../../parts/code-text.ts'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { Page } from '../../parts/page.tsx'
import { SecretBox } from '../../parts/secret-box.tsx'
import { texts } from '../../texts/texts.ts'

/** POST /v1/signup. */
interface SignedUp {
  readonly email: string
  readonly api_key: string
  readonly starter_credit: { readonly amount: number; readonly status: 'none' | 'pending_confirmation' }
}

type MadeAccount = SignedUp & { readonly isSignedIn: boolean }

/** Signs in with the new password. Returns false if there is none or the sign-in fails: the sign-in page comes next. */
async function signIn(email: string, password: string): Promise<boolean> {
  if (password === '') return false
  const signingIn = request('/dashboard/api/sign-in', { method: 'POST', body: { email, password }, isForGuests: true })
  return signingIn.then(
    () => true,
    () => false,
  )
}

export default function SignUp() {
  const [made, setMade] = useState<MadeAccount>()
  const sendsMail = status.value?.sends_mail !== false
  if (made !== undefined) return <Made made={made} />
  return (
    <Page title={texts.signUp.title}>
      <div class="card stack">
        {status.value?.signup_open === false ? (
          <p>{texts.signUp.closed}</p>
        ) : (
          <Form
            button={texts.signUp.button}
            onSend={async (field) => {
              const filled = ['email', 'name', 'password'].filter((name) => field(name) !== '')
              const body = Object.fromEntries(filled.map((name) => [name, field(name)]))
              const signedUp = await request<SignedUp>('/v1/signup', { method: 'POST', body, isForGuests: true })
              setMade({ ...signedUp, isSignedIn: await signIn(signedUp.email, field('password')) })
            }}
          >
            <Field label={texts.signUp.email} name="email" type="email" autoComplete="email" required />
            <Field label={texts.signUp.name} name="name" autoComplete="name" maxLength={100} />
            <Field
              label={texts.signUp.password}
              name="password"
              type="password"
              autoComplete="new-password"
              hint={sendsMail ? texts.signUp.passwordHint : texts.signUp.passwordHintOperator}
            />
          </Form>
        )}
      </div>
      <p class="other-ways">
        {texts.signUp.haveAccount} <a href="/dashboard/sign-in">{texts.signIn.button}</a>
      </p>
    </Page>
  )
}

function Made({ made }: { readonly made: MadeAccount }) {
  const [isStored, setIsStored] = useState(false)
  const { email, api_key: key, starter_credit: credit, isSignedIn } = made
  const next = isSignedIn ? '/dashboard' : `/dashboard/sign-in?email=${encodeURIComponent(email)}`
  const confirm = status.value?.sends_mail === false ? texts.signUp.confirmOperator : texts.signUp.confirmMail(email)
  return (
    <Page title={texts.signUp.doneTitle} intro={texts.signUp.doneText}>
      <div class="card stack">
        <SecretBox label={texts.signUp.key} secret={key} isStored={isStored} onStored={setIsStored} />
        <p>
          {confirm} {credit.status === 'pending_confirmation' && texts.signUp.credit(`$${credit.amount}`)}
        </p>
        <CodeDrawer title={texts.signUp.tryIt} call={exampleCall(status.value?.example_model)} secret={key} />
        <div class="actions">
          <button type="button" class="primary" disabled={!isStored} onClick={() => location.replace(next)}>
            {isSignedIn ? texts.signUp.goHome : texts.signUp.goOn}
          </button>
        </div>
      </div>
    </Page>
  )
}
