import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { texts } from '../texts/texts.ts'
import { Dialog } from './dialog.tsx'
import { type Secret, SecretBox } from './secret-box.tsx'

interface SecretDialogProps extends Secret {
  readonly title: string
  /** Purpose of the secret and its lifetime. */
  readonly text?: string
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

/** Shows a secret once. The dialog stays open until the secret was copied, saved or ticked as stored. */
export function SecretDialog({ title, text, onClose, children, ...secret }: SecretDialogProps) {
  const [isStored, setIsStored] = useState(false)
  return (
    <Dialog title={title} mayClose={isStored} onClose={onClose}>
      {text !== undefined && <p>{text}</p>}
      <SecretBox {...secret} isStored={isStored} onStored={setIsStored} />
      {children}
      <div class="actions">
        <button type="button" class="primary" disabled={!isStored} onClick={onClose}>
          {texts.shared.done}
        </button>
      </div>
    </Dialog>
  )
}
