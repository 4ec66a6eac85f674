import { Dialog } from './dialog.tsx'
import { Form, type FormProps } from './form.tsx'

interface FormDialogProps extends Omit<FormProps, 'onCancel'> {
  /** Name of the action, or a question that names the affected thing. */
  readonly title: string
  /** Consequence of the action. */
  readonly text?: string
  readonly onClose: () => void
}

/** Asks before an action, with or without fields. A failure is shown in the dialog, which stays open. */
export function FormDialog({ title, text, onClose, ...form }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {text !== undefined && <p>{text}</p>}
      <Form {...form} onCancel={onClose} />
    </Dialog>
  )
}
