/** First sign-in of an operator, or return after a lost password: a one-time link sets a password. */
import { useEffect, useState } from 'preact/hooks'
import { asFailure, type RequestFailure, toFailure } from '../../api/failure.ts'
import { request } from '../../api/request.ts'
import { loadSession } from '../../api/session.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { ownCommand } from '../../parts/own-command.ts'
import { Page } from '../../parts/page.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { Ready } from './ready.tsx'

/** Secret of a link, whose length is fixed */
const tokenPattern = /^#([\w-]{43})$/

export default function Setup() {
  const [token, setToken] = useState(takeToken)
  const [refusal, setRefusal] = useState<RequestFailure>()
  const [isDone, setIsDone] = useState(false)

  useEffect(() => {
    // Opening another link in this tab changes only the hash and loads no document.
    const onHash = () => {
      if (location.hash === '') return
      setToken(takeToken())
      setRefusal(undefined)
    }
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [])

  if (isDone) return <Ready />
  if (token === undefined || refusal !== undefined) return <NoLink refusal={refusal} />

  const send = async (field: (name: string) => string) => {
    const password = field('password')
    if (password !== field('again')) throw differs()
    try {
      const body = { token, name: field('name'), password }
      await request('/admin/api/setup', { method: 'POST', body, isForGuests: true })
    } catch (error) {
      const failure = asFailure(error)
      if (failure.facts.code !== 'invalid_link') throw failure
      setRefusal(failure)
      return
    }
    const own = await loadSession()
    // Without a second factor that this server asks for, nothing of the operator's pages opens.
    if (own?.secondFactor === 'required') location.replace('/dashboard/account')
    else setIsDone(true)
  }

  return (
    <Page title={texts.setup.title} intro={texts.setup.intro}>
      <div class="card stack">
        <Form button={texts.setup.button} onSend={send}>
          <Field
            label={texts.setup.name}
            name="name"
            hint={texts.setup.nameHint}
            autoComplete="username"
            defaultValue={texts.setup.usualName}
            maxLength={100}
            required
          />
          <NewPassword />
        </Form>
      </div>
    </Page>
  )
}

/** Asks for the password twice, with only its length shown. */
function NewPassword() {
  const [length, setLength] = useState(0)
  return (
    <>
      <Field
        label={texts.setup.password}
        name="password"
        type="password"
        hint={length === 0 ? texts.setup.passwordHint : texts.setup.length(length)}
        autoComplete="new-password"
        minLength={8}
        onInput={({ currentTarget }) => setLength([...currentTarget.value].length)}
        required
      />
      <Field label={texts.setup.again} name="again" type="password" autoComplete="new-password" required />
    </>
  )
}

/** Explains how to get another link if this one is cut, used or expired. */
function NoLink({ refusal }: { readonly refusal: RequestFailure | undefined }) {
  const { incomplete, incompleteText, refused } = texts.setup
  const command = ownCommand('admin link')

  useEffect(() => {
    // Guests' other pages need no status: only this one shows a command.
    loadSession({ isForGuests: true }).catch(() => undefined)
  }, [])

  return (
    <Page title={refusal === undefined ? incomplete : refused}>
      <div class="card stack">
        <p role={refusal === undefined ? undefined : 'alert'}>{refusal?.message ?? incompleteText}</p>
        <p class="row">
          <code>{command}</code> <CopyButton text={command} what={command} />
        </p>
        <a href="/dashboard/sign-in?next=/admin">{texts.setup.signIn}</a>
      </div>
    </Page>
  )
}

/** Returns the secret and removes it from the address, which browsers remember and show, before anything is drawn. */
function takeToken(): string | undefined {
  const token = tokenPattern.exec(location.hash)?.[1]
  history.replaceState(null, '', location.pathname)
  return token
}

function differs(): RequestFailure {
  return toFailure(0, new Headers(), { error: { message: texts.setup.differs, code: 'differs', param: 'again' } })
}
