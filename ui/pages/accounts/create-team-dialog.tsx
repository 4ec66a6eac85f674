import { perform } from '../../api/operation.ts'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { go } from '../../router/router.ts'
import { texts } from '../../texts/operator-texts.ts'

/** Creates a team and opens its page. */
export function CreateTeamDialog({ onClose }: { readonly onClose: () => void }) {
  const words = texts.accounts
  return (
    <FormDialog
      title={words.createTeamTitle}
      text={words.createTeamText}
      button={words.createTeam}
      onClose={onClose}
      onSend={async (field) => {
        const { id } = await perform('teams-create', { name: field('name') })
        go(`/admin/accounts/${encodeURIComponent(id)}`)
      }}
    >
      <Field label={words.name} name="name" maxLength={100} required />
    </FormDialog>
  )
}
