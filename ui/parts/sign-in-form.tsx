import { useState } from 'preact/hooks'
import { asFailure } from '../api/failure.ts'
import { request } from '../api/request.ts'
import { texts } from '../texts/texts.ts'
import { CodeField } from './code-field.tsx'
import { Field } from './field.tsx'
import { Form } from './form.tsx'

interface SignInFormProps {
  readonly email: string
  /** True to focus the password when its dialog opens. */
  readonly isPasswordFirst?: boolean
  readonly onSignedIn: () => void | Promise<void>
}

/** Asks for address and password, and then for the code of an account with a second factor. */
export function SignInForm({ email, isPasswordFirst = false, onSignedIn }: SignInFormProps) {
  const [asksCode, setAsksCode] = useState(false)
  return (
    <Form
      button={texts.signIn.button}
      onSend={async (field) => {
        const code = asksCode ? { code: field('code') } : {}
        const body = { email: field('email'), password: field('password'), ...code }
        try {
          await request('/dashboard/api/sign-in', { method: 'POST', body, isForGuests: true })
        } catch (error) {
          if (asksCode || asFailure(error).facts.code !== 'second_factor_needed') throw error
          setAsksCode(true)
          return
        }
        await onSignedIn()
      }}
    >
      <Field label={texts.signIn.email} name="email" autoComplete="username" defaultValue={email} required />
      <Field
        label={texts.signIn.password}
        name="password"
        type="password"
        autoComplete="current-password"
        isFirst={isPasswordFirst}
        required
      />
      {asksCode && <CodeField hint={texts.signIn.codeHint} takesFocus />}
    </Form>
  )
}
