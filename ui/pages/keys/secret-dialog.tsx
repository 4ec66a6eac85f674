import { useEffect, useState } from 'preact/hooks'
import { announce } from '../../parts/announce.tsx'
import { CodeDrawer } from '../../parts/code-drawer.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { askBeforeLeaving } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import type { CreatedKey } from './create-key-dialog.tsx'

/** Asks the model that every box has. */
const exampleCall = {
  path: '/chat/completions',
  body: { model: 'inferd/starter-chat', messages: [{ role: 'user', content: 'Hello!' }] },
}

interface SecretDialogProps {
  readonly created: CreatedKey
  readonly onClose: () => void
}

/** Shows the secret once. It cannot be closed or left by accident until the secret was copied or ticked as stored. */
export function SecretDialog({ created, onClose }: SecretDialogProps) {
  const [isStored, setIsStored] = useState(false)

  useEffect(() => {
    askBeforeLeaving(isStored ? undefined : texts.keys.leave)
    return () => askBeforeLeaving(undefined)
  }, [isStored])

  useEffect(() => announce(texts.keys.created(created.name)), [created.name])

  return (
    <Dialog title={texts.keys.secretTitle(created.name)} mayClose={isStored} onClose={onClose}>
      <div class="field secret">
        <label for="secret">{texts.keys.secret}</label>
        <div class="row">
          <input
            id="secret"
            class="code"
            readOnly
            autoComplete="off"
            value={created.key}
            onFocus={({ currentTarget }) => currentTarget.select()}
            onCopy={() => setIsStored(true)}
          />
          <CopyButton text={created.key} what={texts.keys.secret} onCopied={() => setIsStored(true)} />
        </div>
      </div>
      {created.expiresDay !== undefined && <p class="hint">{texts.keys.expiresOn(created.expiresDay)}</p>}
      <label class="check">
        <input
          type="checkbox"
          checked={isStored}
          onChange={({ currentTarget }) => setIsStored(currentTarget.checked)}
        />{' '}
        {texts.keys.stored}
      </label>
      <CodeDrawer title={texts.keys.tryIt} call={exampleCall} secret={created.key} />
      <div class="actions">
        <button type="button" class="primary" disabled={!isStored} onClick={onClose}>
          {texts.shared.done}
        </button>
      </div>
    </Dialog>
  )
}
