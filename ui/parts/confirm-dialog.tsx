import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'

export interface ConfirmDialogProps {
  /** Question that names the affected thing. */
  readonly title: string
  /** Consequence of the action. */
  readonly text: string
  /** Verb. */
  readonly button: string
  readonly isDangerous?: boolean
  readonly onClose: () => void
  readonly onConfirm: () => Promise<void>
}

/** Asks before an action that others notice. A failure is shown in the dialog, which stays open. */
export function ConfirmDialog({ title, text, button, isDangerous, onClose, onConfirm }: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <Form button={button} isDangerous={isDangerous === true} onCancel={onClose} onSend={onConfirm} />
    </Dialog>
  )
}
