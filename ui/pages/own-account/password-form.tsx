import { useState } from 'preact/hooks'
import { perform } from '../../api/own-operation.ts'
import { me, refreshMe } from '../../api/session.ts'
import { announce } from '../../parts/announce.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { texts } from '../../texts/texts.ts'

/**
 * Sets or changes the password, which ends the other sessions. The current one may stay empty after a sign-in by a
 * mailed link.
 */
export function PasswordForm() {
  const [count, setCount] = useState(0)
  const hasPassword = me.value?.hasPassword === true
  return (
    <Form
      key={count}
      button={hasPassword ? texts.ownAccount.changePassword : texts.ownAccount.setPassword}
      onSend={async (field) => {
        const current = field('current')
        await perform('accounts-set-password', { new: field('new'), current: current === '' ? undefined : current })
        announce(texts.ownAccount.passwordDone)
        setCount(count + 1)
        await refreshMe()
      }}
    >
      {hasPassword && (
        <Field label={texts.ownAccount.current} name="current" type="password" autoComplete="current-password" />
      )}
      <Field label={texts.ownAccount.new} name="new" type="password" autoComplete="new-password" required />
      <p class="hint">{texts.ownAccount.passwordEnds}</p>
    </Form>
  )
}
