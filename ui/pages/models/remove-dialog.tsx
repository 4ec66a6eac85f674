import { useState } from 'preact/hooks'
import { perform } from '../../api/operation.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { texts } from '../../texts/texts.ts'

interface RemoveDialogProps {
  readonly id: string
  /** Size of the model's files as text. */
  readonly size: string
  readonly onClose: () => void
  readonly onRemoved: () => void
}

/** Deletes a model's files after the operator has typed its name. */
export function RemoveDialog({ id, size, onClose, onRemoved }: RemoveDialogProps) {
  const [typed, setTyped] = useState('')
  return (
    <Dialog title={texts.models.removeTitle(id)} onClose={onClose}>
      <p>{texts.models.removeText(size)}</p>
      <Form
        button={texts.models.remove}
        isDangerous
        isDisabled={typed.trim() !== id}
        onCancel={onClose}
        onSend={async () => {
          await perform('models-remove', { model: id })
          onRemoved()
        }}
      >
        <Field
          label={texts.models.removeField}
          name="model"
          placeholder={id}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          required
        />
      </Form>
    </Dialog>
  )
}
