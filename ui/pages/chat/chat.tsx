/**
 * Chat: a conversation with one model, or with two side by side; with pictures, tools, figures and the code of each
 * request.
 */
import { useSignal } from '@preact/signals'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { NoModels } from '../../parts/play/model-picker.tsx'
import { usePlayModels } from '../../parts/play/play-models.ts'
import { texts } from '../../texts/texts.ts'
import { ConversationList } from './conversation-list.tsx'
import { ConversationView } from './conversation-view.tsx'
import { useChats } from './use-chats.ts'

const chatTypes = ['chat', 'vision'] as const

/** Width at which the list takes the place of the conversation. */
const narrow = '(width < 900px)'
const foldedName = 'inferd-chat-list-folded'

export default function ChatPage() {
  const models = usePlayModels(chatTypes)
  const chats = useChats()
  const isFolded = useSignal(localStorage.getItem(foldedName) === 'yes' || matchMedia(narrow).matches)
  const fold = (folded: boolean) => {
    isFolded.value = folded
    localStorage.setItem(foldedName, folded ? 'yes' : 'no')
  }

  const begin = async () => {
    await chats?.begin()
    if (matchMedia(narrow).matches) isFolded.value = true
  }
  const list = (
    <div class="actions">
      <button type="button" aria-expanded={!isFolded.value} onClick={() => fold(!isFolded.value)}>
        <Icon name="panel-left" /> {texts.chat.showList}
      </button>
      <button type="button" disabled={chats === undefined} onClick={() => void begin()}>
        <Icon name="plus" /> {texts.chat.begin}
      </button>
    </div>
  )
  return (
    <Page title={texts.chat.title} action={list}>
      <Loaded answer={models}>
        {(usable) => {
          if (usable.length === 0) return <NoModels />
          if (chats === undefined) return null
          return (
            <div class={isFolded.value ? 'chat-page' : 'chat-page with-list'}>
              {!isFolded.value && (
                <ConversationList
                  chats={chats}
                  onChosen={() => {
                    if (matchMedia(narrow).matches) isFolded.value = true
                  }}
                />
              )}
              <ConversationView key={chats.shown.value.id} chats={chats} models={usable} />
            </div>
          )
        }}
      </Loaded>
    </Page>
  )
}
