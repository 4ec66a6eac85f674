import { useEffect, useState } from 'preact/hooks'
import { status } from '../../api/session.ts'
import { announce } from '../../parts/announce.tsx'
import { CodeDrawer } from '../../parts/code-drawer.tsx'
import { exampleCall } from '../../parts/code-text.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SecretBox } from '../../parts/secret-box.tsx'
import { texts } from '../../texts/texts.ts'
import type { DatedKey } from './create-key-dialog.tsx'

interface SecretDialogProps {
  readonly created: DatedKey
  readonly onClose: () => void
}

/** Shows the secret once. It cannot be closed or left by accident until the secret was copied or ticked as stored. */
export function SecretDialog({ created, onClose }: SecretDialogProps) {
  const [isStored, setIsStored] = useState(false)

  useEffect(() => announce(texts.keys.created(created.name)), [created.name])

  return (
    <Dialog title={texts.keys.secretTitle(created.name)} mayClose={isStored} onClose={onClose}>
      <SecretBox label={texts.keys.secret} secret={created.key} isStored={isStored} onStored={setIsStored} />
      {created.expiresDay !== undefined && <p class="hint">{texts.keys.expiresOn(created.expiresDay)}</p>}
      <CodeDrawer title={texts.keys.tryIt} call={exampleCall(status.value?.example_model)} secret={created.key} />
      <div class="actions">
        <button type="button" class="primary" disabled={!isStored} onClick={onClose}>
          {texts.shared.done}
        </button>
      </div>
    </Dialog>
  )
}
