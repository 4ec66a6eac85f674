/**
 * Chat: a conversation with one model, or with two side by side; with pictures, tools, figures and the code of each
 * request.
 */
import { Loaded } from '../../parts/loaded.tsx'
import { NoModels } from '../../parts/model-picker/model-picker.tsx'
import { Page } from '../../parts/page.tsx'
import { usePlayModels } from '../../parts/play/play-models.ts'
import { texts } from '../../texts/texts.ts'
import { chatTypes } from './chat-head.tsx'
import { ChatLayout } from './chat-layout.tsx'
import { useChats } from './use-chats.ts'

export default function ChatPage() {
  const models = usePlayModels(chatTypes)
  const kept = useChats()
  return (
    <Page title={texts.chat.title} isTitleUnseen>
      <Loaded answer={models}>
        {(usable) => {
          if (usable.length === 0) return <NoModels />
          return kept === undefined ? null : <ChatLayout {...kept} models={usable} />
        }}
      </Loaded>
    </Page>
  )
}
