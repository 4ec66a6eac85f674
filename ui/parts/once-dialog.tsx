import { useState } from 'preact/hooks'
import { texts } from '../texts/texts.ts'
import { Dialog } from './dialog.tsx'
import { SecretBox } from './secret-box.tsx'

export interface OnceDialogProps {
  readonly title: string
  /** What the secret is: "Sign-in link". */
  readonly label: string
  readonly secret: string
  /** What can be done with it, and how long. */
  readonly text: string
  readonly onClose: () => void
}

/** Shows a secret once. It cannot be closed by accident before the secret was copied or ticked as stored. */
export function OnceDialog({ title, label, secret, text, onClose }: OnceDialogProps) {
  const [isStored, setIsStored] = useState(false)
  return (
    <Dialog title={title} mayClose={isStored} onClose={onClose}>
      <p>{text}</p>
      <SecretBox label={label} secret={secret} isStored={isStored} onStored={setIsStored} />
      <div class="actions">
        <button type="button" class="primary" disabled={!isStored} onClick={onClose}>
          {texts.shared.done}
        </button>
      </div>
    </Dialog>
  )
}
