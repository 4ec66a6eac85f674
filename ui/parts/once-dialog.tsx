import { useState } from 'preact/hooks'
import { texts } from '../texts/texts.ts'
import { Dialog } from './dialog.tsx'
import { SecretBox } from './secret-box.tsx'

export interface OnceDialogProps {
  readonly title: string
  /** Name of the secret, such as "Sign-in link". */
  readonly label: string
  readonly secret: string
  /** Purpose of the secret and its lifetime. */
  readonly text: string
  readonly onClose: () => void
}

/** Shows a secret once. The dialog stays open until the secret was copied or ticked as stored. */
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
