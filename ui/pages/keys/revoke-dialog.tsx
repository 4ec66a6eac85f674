import { perform } from '../../api/own-operation.ts'
import { announce } from '../../parts/announce.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form } from '../../parts/form.tsx'
import { exactTime } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'
import type { OwnKey } from './key-table.tsx'

interface RevokeDialogProps {
  readonly target: OwnKey
  readonly onClose: () => void
  readonly onRevoked: () => void
}

/** Names the key and when it was last used before it ends. */
export function RevokeDialog({ target, onClose, onRevoked }: RevokeDialogProps) {
  const { id, name, lastUsedMs } = target
  return (
    <Dialog title={texts.keys.revokeTitle(name)} onClose={onClose}>
      <p>{texts.keys.revokeText(lastUsedMs === null ? texts.shared.never : exactTime(lastUsedMs))}</p>
      <Form
        button={texts.keys.revoke}
        isDangerous
        onCancel={onClose}
        onSend={async () => {
          await perform('keys-revoke', { key: id })
          announce(texts.keys.revokeDone(name))
          onRevoked()
        }}
      />
    </Dialog>
  )
}
