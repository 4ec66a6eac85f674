import { useState } from 'preact/hooks'
import { perform } from '../../api/operation.ts'
import { announce } from '../../parts/announce.tsx'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { go } from '../../router/router.ts'
import { texts } from '../../texts/operator-texts.ts'

/** Creates an account and opens its page, which has the sign-in link. */
export function CreateAccountDialog({ onClose }: { readonly onClose: () => void }) {
  const [isUnmetered, setIsUnmetered] = useState(false)
  const words = texts.accounts
  return (
    <FormDialog
      title={words.createTitle}
      text={words.createIntro}
      button={words.create}
      onClose={onClose}
      onSend={async (field) => {
        const name = field('name')
        const input = { email: field('email'), isUnmetered, ...(name !== '' && { name }) }
        const { id, email } = await perform('accounts-create', input)
        announce(words.created(email ?? id))
        go(`/admin/accounts/${encodeURIComponent(id)}`)
      }}
    >
      <Field label={words.email} name="email" type="email" maxLength={320} required />
      <Field label={words.name} name="name" hint={words.nameHint} maxLength={100} />
      <label class="check">
        <input
          type="checkbox"
          checked={isUnmetered}
          onChange={({ currentTarget }) => setIsUnmetered(currentTarget.checked)}
        />{' '}
        {words.unmetered}
      </label>
    </FormDialog>
  )
}
