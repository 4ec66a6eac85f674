import { perform } from '../../api/operation.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { ownCommand } from '../../parts/own-command.ts'
import { texts } from '../../texts/texts.ts'
import type { PullAsked } from './download-dialog.tsx'

interface GetDialogProps {
  readonly onClose: () => void
  /** Called when the source was found, for the decision on its download. */
  readonly onFound: (asked: PullAsked) => void
}

/** Asks for a source of any kind that the server supports. Shows obstacles before the first byte is loaded. */
export function GetDialog({ onClose, onFound }: GetDialogProps) {
  const { getTitle, getButton, source, sourceHint, newId, newIdHint } = texts.models
  const { offline, commandBundle, commandInstall } = texts.models
  return (
    <Dialog title={getTitle} onClose={onClose}>
      <Form
        button={getButton}
        onCancel={onClose}
        onSend={async (field) => {
          const id = field('id')
          const asked = { source: field('source'), ...(id !== '' && { id }) }
          await perform('models-pull-preview', asked)
          onFound(asked)
        }}
      >
        <Field label={source} name="source" hint={sourceHint} maxLength={2_000} required />
        <Field label={newId} name="id" hint={newIdHint} maxLength={200} />
      </Form>
      <p class="hint">
        {offline} <code>{commandBundle}</code>, <code>{ownCommand(commandInstall)}</code>
      </p>
    </Dialog>
  )
}
