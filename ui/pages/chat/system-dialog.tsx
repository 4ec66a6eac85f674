import { useId, useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { texts } from '../../texts/texts.ts'

interface SystemDialogProps {
  readonly system: string
  readonly onSave: (system: string) => void
  readonly onClose: () => void
}

/** Edits the system prompt. */
export function SystemDialog({ system, onSave, onClose }: SystemDialogProps) {
  const [edited, setEdited] = useState(system)
  const id = useId()
  return (
    <Dialog title={texts.chat.system} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onSave(edited)
          onClose()
        }}
      >
        <div class="field">
          <label for={id}>{texts.chat.systemLabel}</label>
          <textarea
            id={id}
            rows={8}
            dir="auto"
            value={edited}
            onInput={({ currentTarget }) => setEdited(currentTarget.value)}
          />
        </div>
        <div class="actions">
          <button type="button" onClick={onClose}>
            {texts.shared.cancel}
          </button>
          <button type="submit" class="primary">
            {texts.shared.done}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
