import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'

export interface ConfirmDialogProps {
  /** A question with the name of the thing. */
  readonly title: string
  /** What follows from it. */
  readonly text: string
  /** A verb. */
  readonly button: string
  readonly isDangerous?: boolean
  readonly onClose: () => void
  readonly onConfirm: () => Promise<void>
}

/** Asks before something is done that others notice. A failure is shown in the dialog, which stays. */
export function ConfirmDialog({ title, text, button, isDangerous, onClose, onConfirm }: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <Form button={button} isDangerous={isDangerous === true} onCancel={onClose} onSend={onConfirm} />
    </Dialog>
  )
}
