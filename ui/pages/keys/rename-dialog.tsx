import { perform } from '../../api/own-operation.ts'
import { announce } from '../../parts/announce.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { texts } from '../../texts/texts.ts'
import type { OwnKey } from './key-table.tsx'

interface RenameDialogProps {
  readonly target: OwnKey
  readonly onClose: () => void
  readonly onRenamed: () => void
}

export function RenameDialog({ target, onClose, onRenamed }: RenameDialogProps) {
  return (
    <Dialog title={texts.keys.renameTitle(target.name)} onClose={onClose}>
      <Form
        button={texts.keys.save}
        onCancel={onClose}
        onSend={async (field) => {
          const name = field('name')
          await perform('keys-rename', { key: target.id, name })
          announce(texts.keys.renamed(name))
          onRenamed()
        }}
      >
        <Field label={texts.keys.name} name="name" defaultValue={target.name} maxLength={100} required />
      </Form>
    </Dialog>
  )
}
