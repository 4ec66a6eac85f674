import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { later } from '../../parts/later.tsx'
import { chosenModel, type PlayModel } from '../../parts/play/play-models.ts'
import { useMedia } from '../../parts/use-media.ts'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import { ChatHead } from './chat-head.tsx'
import { noQuestion } from './conversation.ts'
import { ConversationView } from './conversation-view.tsx'
import type { KeptChats } from './use-chats.ts'
import { focusMessage, useNewChatKey } from './use-new-chat-key.ts'

interface ChatLayoutProps extends KeptChats {
  readonly models: readonly PlayModel[]
}

const SidePanel = later(() => import('./side-panel.tsx').then((loaded) => loaded.SidePanel))

/** Width below which the list is a sheet over the conversation. */
const narrow = '(width < 900px)'
/** Width below which the panel is a sheet over the conversation. */
const phone = '(width < 768px)'

const panelId = 'chat-panel'

/** Lays out the list of conversations, the shown one and the panel of its settings. */
export function ChatLayout({ chats, parts, models }: ChatLayoutProps) {
  const chat = chats.shown.value
  const isNarrow = useMedia(narrow)
  const isPhone = useMedia(phone)
  const [isListOpen, keepList] = useKeptFlag('inferd-chat-list', true)
  const [isPanelOpen, keepPanel] = useKeptFlag('inferd-chat-panel', false)
  // The list or the sheet, while it covers the conversation. A reload uncovers it.
  const covering = useSignal<'list' | 'sheet' | undefined>(undefined)
  const draft = useSignal(noQuestion)

  const columns = chat.models.value
  const chosen = columns.map((wanted) => chosenModel(models, wanted))
  useEffect(() => {
    if (chosen.join() !== columns.join()) chat.models.value = chosen
  })
  const [first] = chosen
  // A reload asks for the model that the address names, so it must be the one of the conversation shown now.
  useEffect(() => {
    const named = place.peek().query.get('model')
    if (named !== null && named !== first) setQuery({ model: first })
  }, [chat, first])

  const cover = (part: 'list' | 'sheet') => {
    covering.value = covering.value === part ? undefined : part
  }
  const uncover = () => {
    covering.value = undefined
  }
  const hasList = isNarrow ? covering.value === 'list' : isListOpen
  const hasPanel = isPhone ? covering.value === 'sheet' : isPanelOpen
  const togglePanel = () => (isPhone ? cover('sheet') : keepPanel(!isPanelOpen))
  const begin = () =>
    void chats.begin().then(() => {
      uncover()
      focusMessage()
    })
  useNewChatKey(begin)
  const list = <parts.ConversationList chats={chats} isSheet={isNarrow} onChosen={uncover} />
  const look = ['chat-page', hasList && !isNarrow && 'with-list', hasPanel && !isPhone && 'with-panel']
  return (
    <div class={look.filter(Boolean).join(' ')}>
      <ChatHead
        chat={chat}
        models={models}
        chosen={chosen}
        hasList={hasList}
        hasPanel={hasPanel}
        panelId={panelId}
        onToggleList={() => (isNarrow ? cover('list') : keepList(!isListOpen))}
        onTogglePanel={togglePanel}
        onBegin={begin}
      />
      {hasList && !isNarrow && list}
      {hasList && isNarrow && (
        <Dialog title={texts.chat.conversations} look="sheet" onClose={uncover}>
          {list}
        </Dialog>
      )}
      <ConversationView key={chat.id} chats={chats} parts={parts} models={models} chosen={chosen} draft={draft} />
      {hasPanel && (
        <SidePanel
          // Another conversation begins with its own texts.
          key={chat.id}
          id={panelId}
          chat={chat}
          draft={draft}
          isSheet={isPhone}
          onClose={togglePanel}
        />
      )}
    </div>
  )
}

/** Returns a choice of yes or no that this browser keeps, and the function that changes it. */
function useKeptFlag(name: string, initial: boolean): readonly [flag: boolean, keep: (flag: boolean) => void] {
  const [flag, setFlag] = useState(() => {
    const kept = localStorage.getItem(name)
    return kept === null ? initial : kept === 'yes'
  })
  const keep = (changed: boolean) => {
    setFlag(changed)
    localStorage.setItem(name, changed ? 'yes' : 'no')
  }
  return [flag, keep]
}
