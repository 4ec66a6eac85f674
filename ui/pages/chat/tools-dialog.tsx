import { useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { JsonField } from '../../parts/json-field.tsx'
import { texts } from '../../texts/texts.ts'
import { readTools, sampleTool, sampleTools } from './tools.ts'

interface ToolsDialogProps {
  readonly tools: string
  readonly onSave: (tools: string) => void
  readonly onClose: () => void
}

/** Edits the tools as JSON. Offers samples. */
export function ToolsDialog({ tools, onSave, onClose }: ToolsDialogProps) {
  const [edited, setEdited] = useState(tools)
  const read = readTools(edited)
  const add = (name: string) => setEdited(JSON.stringify([...read.tools, sampleTool(name)], null, 2))
  return (
    <Dialog title={texts.chat.tools} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (read.problem !== undefined) return
          onSave(edited)
          onClose()
        }}
      >
        <p>{texts.chat.toolsText}</p>
        <div class="row">
          {Object.keys(sampleTools).map((name) => (
            <button
              key={name}
              type="button"
              class="small"
              disabled={read.problem !== undefined || read.names.includes(name)}
              onClick={() => add(name)}
            >
              <Icon name="plus" /> <code>{name}</code>
            </button>
          ))}
        </div>
        <JsonField label={texts.chat.toolsJson} value={edited} rows={10} problem={read.problem} onChange={setEdited} />
        <div class="actions">
          <button type="button" onClick={() => setEdited('')}>
            {texts.chat.reset}
          </button>
          <button type="submit" class="primary" disabled={read.problem !== undefined}>
            {texts.shared.done}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
