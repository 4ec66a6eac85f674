import { request } from '../api/request.ts'
import { loadMe, me, startAnew } from '../api/session.ts'
import { signedInAgain } from '../api/signed-out.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { texts } from '../texts/texts.ts'

/**
 * Asks for the password over the page when the session has ended. Waiting requests are then repeated, but never for
 * another account: if that signs in, its own pages are loaded.
 */
export function SignInDialog() {
  const known = me.value?.email ?? me.value?.name
  return (
    <Dialog title={texts.shell.signInTitle} mayClose={false} onClose={() => undefined}>
      <p>{texts.shell.signInText}</p>
      <Form
        button={texts.shell.signIn}
        onSend={async (field) => {
          await request('/dashboard/api/sign-in', {
            method: 'POST',
            body: { email: field('email'), password: field('password') },
          })
          const { id } = await loadMe({ isForGuests: true })
          if (id === me.value?.id) signedInAgain()
          else startAnew()
        }}
      >
        <Field label={texts.shell.email} name="email" autoComplete="username" defaultValue={known ?? ''} required />
        <Field
          label={texts.shell.password}
          name="password"
          type="password"
          autoComplete="current-password"
          isFirst={known !== undefined}
          required
        />
      </Form>
    </Dialog>
  )
}
