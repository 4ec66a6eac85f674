import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { chosenModel, type PlayModel } from '../../parts/play/play-models.ts'
import { useMedia } from '../../parts/use-media.ts'
import { ChatHead } from './chat-head.tsx'
import { noQuestion } from './conversation.ts'
import { ConversationList } from './conversation-list.tsx'
import { ConversationView } from './conversation-view.tsx'
import type { Chats } from './kept/chats.ts'
import { SidePanel } from './side-panel.tsx'
import { useKeptFlag } from './use-kept-flag.ts'

interface ChatLayoutProps {
  readonly chats: Chats
  readonly models: readonly PlayModel[]
}

/** Width below which the list takes the place of the conversation. */
const narrow = '(width < 900px)'
/** Width below which the panel is a sheet over the conversation. */
const phone = '(width < 768px)'

/** Lays out the list of conversations, the shown one and the panel of its settings. */
export function ChatLayout({ chats, models }: ChatLayoutProps) {
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

  const cover = (part: 'list' | 'sheet') => {
    covering.value = covering.value === part ? undefined : part
  }
  const uncover = () => {
    covering.value = undefined
  }
  const hasList = isNarrow ? covering.value === 'list' : isListOpen
  const hasPanel = isPhone ? covering.value === 'sheet' : isPanelOpen
  const togglePanel = () => (isPhone ? cover('sheet') : keepPanel(!isPanelOpen))
  const look = ['chat-page', hasList && 'with-list', hasPanel && !isPhone && 'with-panel']
  return (
    <div class={look.filter(Boolean).join(' ')}>
      <ChatHead
        chat={chat}
        models={models}
        chosen={chosen}
        hasList={hasList}
        hasPanel={hasPanel}
        onToggleList={() => (isNarrow ? cover('list') : keepList(!isListOpen))}
        onTogglePanel={togglePanel}
        onBegin={() => void chats.begin().then(uncover)}
      />
      {hasList && <ConversationList chats={chats} onChosen={uncover} />}
      <ConversationView key={chat.id} chats={chats} models={models} chosen={chosen} draft={draft} />
      {hasPanel && (
        <SidePanel key={`panel ${chat.id}`} chat={chat} draft={draft} isSheet={isPhone} onClose={togglePanel} />
      )}
    </div>
  )
}
