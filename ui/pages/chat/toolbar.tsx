import { useState } from 'preact/hooks'
import { CodeTabs } from '../../parts/code-drawer.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { texts } from '../../texts/texts.ts'
import type { Chat } from './conversation-state.ts'
import { changedSettings } from './settings.ts'
import { SettingsDialog } from './settings-dialog.tsx'
import { SystemDialog } from './system-dialog.tsx'
import { readTools } from './tools.ts'
import { ToolsDialog } from './tools-dialog.tsx'

interface ToolbarProps {
  readonly chat: Chat
  /** Model of the second column until another one is chosen. */
  readonly otherModel: string
  /** Returns the request that would be sent now. */
  readonly draft: () => object
}

type Open = 'system' | 'settings' | 'tools' | 'code'

/** Shows the buttons for a conversation's settings, tools, comparison and code. */
export function Toolbar({ chat, otherModel, draft }: ToolbarProps) {
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const changed = changedSettings(chat.settings.value)
  const toolCount = readTools(chat.tools.value).names.length
  const save = (change: () => void) => {
    change()
    chat.onChange()
  }
  return (
    <div class="toolbar">
      <button type="button" onClick={() => setOpen('system')}>
        {texts.chat.system} {chat.system.value.trim() !== '' && <Count text={texts.chat.isSet} />}
      </button>
      <button type="button" onClick={() => setOpen('settings')}>
        {texts.chat.settings} {changed > 0 && <Count text={String(changed)} />}
      </button>
      <button type="button" onClick={() => setOpen('tools')}>
        {texts.chat.tools} {toolCount > 0 && <Count text={String(toolCount)} />}
      </button>
      <button
        type="button"
        aria-pressed={chat.models.value.length > 1}
        onClick={() => save(() => toggleCompare(chat, otherModel))}
      >
        {texts.chat.compare}
      </button>
      <button type="button" onClick={() => setOpen('code')}>
        {texts.shared.code}
      </button>
      {open === 'system' && (
        <SystemDialog
          system={chat.system.value}
          onClose={close}
          onSave={(system) =>
            save(() => {
              chat.system.value = system
            })
          }
        />
      )}
      {open === 'settings' && (
        <SettingsDialog
          settings={chat.settings.value}
          onClose={close}
          onSave={(settings) =>
            save(() => {
              chat.settings.value = settings
            })
          }
        />
      )}
      {open === 'tools' && (
        <ToolsDialog
          tools={chat.tools.value}
          onClose={close}
          onSave={(tools) =>
            save(() => {
              chat.tools.value = tools
            })
          }
        />
      )}
      {open === 'code' && (
        <Dialog title={texts.chat.codeTitle} onClose={close}>
          <CodeTabs call={{ path: '/chat/completions', body: draft() as Record<string, unknown> }} />
          <div class="actions">
            <button type="button" onClick={close}>
              {texts.shared.close}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  )
}

function Count({ text }: { readonly text: string }) {
  return <span class="badge">{text}</span>
}

function toggleCompare(chat: Chat, otherModel: string): void {
  const [first = ''] = chat.models.value
  chat.models.value = chat.models.value.length > 1 ? [first] : [first, otherModel]
}
