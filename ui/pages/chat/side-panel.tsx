import type { ReadonlySignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { CodeTabs } from '../../parts/code-tabs.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { IconButton } from '../../parts/icon-button.tsx'
import { texts } from '../../texts/texts.ts'
import type { Question } from './conversation.ts'
import type { Chat } from './conversation-state.ts'
import { SettingsFields } from './settings-fields.tsx'
import { ToolsFields } from './tools-fields.tsx'

interface SidePanelProps {
  readonly id: string
  readonly chat: Chat
  /** Message that is being written, for the code of the next request. */
  readonly draft: ReadonlySignal<Question>
  /** True if the panel covers the conversation, as on a phone. */
  readonly isSheet: boolean
  readonly onClose: () => void
}

/** Shows what a conversation sends beside its messages: system text, settings and tools. Changes apply at once. */
export function SidePanel({ id, chat, draft, isSheet, onClose }: SidePanelProps) {
  const save = (change: () => void) => {
    change()
    chat.onChange()
  }
  const content = (
    <>
      <SystemField
        value={chat.system.value}
        onChange={(system) =>
          save(() => {
            chat.system.value = system
          })
        }
      />
      <SettingsFields
        settings={chat.settings.value}
        onSave={(settings) =>
          save(() => {
            chat.settings.value = settings
          })
        }
      />
      <ToolsFields
        tools={chat.tools.value}
        onSave={(tools) =>
          save(() => {
            chat.tools.value = tools
          })
        }
      />
      <NextCode chat={chat} draft={draft} />
    </>
  )
  if (isSheet)
    return (
      <Dialog title={texts.chat.settings} look="sheet" onClose={onClose}>
        {content}
        <div class="actions">
          {/* Focused first, because a field would call the keyboard. */}
          <button type="button" class="primary" autofocus onClick={onClose}>
            {texts.shared.done}
          </button>
        </div>
      </Dialog>
    )
  return (
    <Aside id={id} onClose={onClose}>
      {content}
    </Aside>
  )
}

function Aside({
  id,
  onClose,
  children,
}: Pick<SidePanelProps, 'id' | 'onClose'> & { readonly children: ComponentChildren }) {
  const panel = useRef<HTMLElement>(null)
  // The focus returns to the button that opened the panel.
  useLayoutEffect(() => {
    const opener = document.activeElement
    return () => {
      const isInside = panel.current?.contains(document.activeElement) === true
      if (isInside && opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <aside ref={panel} id={id} class="side-panel" aria-label={texts.chat.settings}>
      <div class="side-panel-head">
        <h2>{texts.chat.settings}</h2>
        <IconButton icon="x" label={texts.shared.close} onClick={onClose} />
      </div>
      {children}
    </aside>
  )
}

function SystemField({ value, onChange }: { readonly value: string; readonly onChange: (system: string) => void }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{texts.chat.system}</label>
      <textarea
        id={id}
        rows={3}
        dir="auto"
        placeholder={texts.chat.systemLabel}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  )
}

/** Shows the next request as code. It grows with the message while it is open. */
function NextCode({ chat, draft }: Pick<SidePanelProps, 'chat' | 'draft'>) {
  const [isOpen, setIsOpen] = useState(false)
  const body = () => chat.draft(draft.value) as Record<string, unknown>
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{texts.chat.codeTitle}</summary>
      {isOpen && <CodeTabs call={{ path: '/chat/completions', body: body() }} />}
    </details>
  )
}
