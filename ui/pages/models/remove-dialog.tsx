import { useState } from 'preact/hooks'
import { perform } from '../../api/operation.ts'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { texts } from '../../texts/operator-texts.ts'

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
    <FormDialog
      title={texts.models.removeTitle(id)}
      text={texts.models.removeText(size)}
      button={texts.models.remove}
      isDangerous
      isDisabled={typed.trim() !== id}
      onClose={onClose}
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
    </FormDialog>
  )
}
