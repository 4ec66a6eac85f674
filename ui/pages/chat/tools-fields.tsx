import { useState } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import { JsonField } from '../../parts/json-field.tsx'
import { texts } from '../../texts/texts.ts'
import { readTools, sampleTool, sampleTools } from './tools.ts'

interface ToolsFieldsProps {
  readonly tools: string
  /** Called at each change after which the tools can be sent. */
  readonly onSave: (tools: string) => void
}

/** Edits the tools as JSON, folded unless there are some. Offers samples. */
export function ToolsFields({ tools, onSave }: ToolsFieldsProps) {
  const [edited, setEdited] = useState(tools)
  const [isOpen, setIsOpen] = useState(tools !== '')
  const { problem, names, tools: read } = readTools(edited)
  const change = (text: string) => {
    setEdited(text)
    if (readTools(text).problem === undefined) onSave(text)
  }
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        {texts.chat.tools} {names.length > 0 && <span class="badge">{names.length}</span>}
      </summary>
      <div class="tools-fields">
        <p class="hint">{texts.chat.toolsText}</p>
        <div class="row">
          {Object.keys(sampleTools).map((name) => (
            <button
              key={name}
              type="button"
              class="small"
              disabled={problem !== undefined || names.includes(name)}
              onClick={() => change(JSON.stringify([...read, sampleTool(name)], null, 2))}
            >
              <Icon name="plus" /> <code>{name}</code>
            </button>
          ))}
        </div>
        <JsonField label={texts.chat.toolsJson} value={edited} rows={8} problem={problem} onChange={change} />
        {edited !== '' && (
          <button type="button" class="small" onClick={() => change('')}>
            {texts.chat.reset}
          </button>
        )}
      </div>
    </details>
  )
}
