import { useRef, useState } from 'preact/hooks'
import { alarm } from '../../parts/announce.tsx'
import { CodeTabs } from '../../parts/code-drawer.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { saveText } from '../../parts/save-text.ts'
import { texts } from '../../texts/texts.ts'
import { readConversation, writeConversation } from './conversation-file.ts'
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

/** Shows the buttons for a conversation's settings, tools, comparison, code and file. */
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
      <FileMenu chat={chat} />
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

/** Exports, imports or ends the conversation. */
function FileMenu({ chat }: { readonly chat: Chat }) {
  const picker = useRef<HTMLInputElement>(null)
  const isEmpty = chat.exchanges.value.length === 0
  const importFile = async (file: File | undefined) => {
    if (file === undefined) return
    try {
      const read: unknown = JSON.parse(await file.text())
      chat.takeAway(texts.chat.imported(file.name), () => readConversation(chat, read))
    } catch {
      alarm(texts.chat.notImported(file.name))
    }
  }
  return (
    <>
      <button
        type="button"
        disabled={isEmpty}
        onClick={() => {
          const file = JSON.stringify(writeConversation(chat, { hasPictures: true }), null, 2)
          saveText('conversation.json', file, 'application/json')
        }}
      >
        <Icon name="download" /> {texts.chat.export}
      </button>
      <button type="button" onClick={() => picker.current?.click()}>
        <Icon name="upload" /> {texts.chat.import}
      </button>
      <input
        ref={picker}
        class="picture-file"
        type="file"
        aria-label={texts.chat.import}
        accept="application/json,.json"
        tabIndex={-1}
        onChange={({ currentTarget }) => {
          void importFile(currentTarget.files?.[0])
          currentTarget.value = ''
        }}
      />
      <button type="button" disabled={isEmpty} onClick={() => chat.clear()}>
        <Icon name="trash-2" /> {texts.chat.clear}
      </button>
    </>
  )
}
