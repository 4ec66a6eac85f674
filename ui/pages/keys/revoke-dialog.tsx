import type { ListedKey } from '../../../src/wire/pages/keys.ts'
import { request } from '../../api/request.ts'
import { announce } from '../../parts/announce.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form } from '../../parts/form.tsx'
import { exactTime } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'

interface RevokeDialogProps {
  readonly target: ListedKey
  readonly onClose: () => void
  readonly onRevoked: () => void
}

/** Names the key and when it was last used before it ends. */
export function RevokeDialog({ target, onClose, onRevoked }: RevokeDialogProps) {
  const { id, name, last_used: lastUsed } = target
  return (
    <Dialog title={texts.keys.revokeTitle(name)} onClose={onClose}>
      <p>{texts.keys.revokeText(lastUsed === null ? texts.shared.never : exactTime(Date.parse(lastUsed)))}</p>
      <Form
        button={texts.keys.revoke}
        isDangerous
        onCancel={onClose}
        onSend={async () => {
          await request(`/dashboard/api/keys/${encodeURIComponent(id)}`, { method: 'DELETE' })
          announce(texts.keys.revokeDone(name))
          onRevoked()
        }}
      />
    </Dialog>
  )
}
