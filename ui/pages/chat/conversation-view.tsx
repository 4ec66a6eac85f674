import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Empty } from '../../parts/loaded.tsx'
import type { PlayModel } from '../../parts/play/play-models.ts'
import { useGrowing } from '../../parts/use-growing.ts'
import { texts } from '../../texts/texts.ts'
import { Composer } from './composer.tsx'
import type { Question } from './conversation.ts'
import { ExchangeView } from './exchange-view.tsx'
import { useFollowEnd } from './follow-end.ts'
import type { Chats } from './kept/chats.ts'
import type { Undo } from './undo.ts'

interface ConversationViewProps {
  readonly chats: Chats
  readonly models: readonly PlayModel[]
  /** Ids of the models by column. */
  readonly chosen: readonly string[]
  /** Takes the message that is being written. */
  readonly draft: Signal<Question>
}

/** Exchanges that are drawn at first: more than a screen holds. */
const firstExchanges = 10

/** Shows the messages of a conversation and the field for the next one. */
export function ConversationView({ chats, models, chosen, draft }: ConversationViewProps) {
  const chat = chats.shown.value
  const { follow, toEnd } = useFollowEnd()
  const undo = chat.undo.value ?? chats.undo.value
  const exchanges = chat.exchanges.value
  const { count, edge, grow } = useGrowing(exchanges.length, firstExchanges, chat.id)

  useEffect(() => {
    toEnd()
    void chat.findReceipts()
  }, [chat])

  return (
    <div class={chosen.length > 1 ? 'chat comparing' : 'chat'}>
      <div class="exchanges">
        {exchanges.length === 0 && <Empty text={texts.chat.empty} />}
        {count < exchanges.length && (
          <button ref={edge as { current: HTMLButtonElement | null }} type="button" class="small" onClick={grow}>
            {texts.chat.earlier}
          </button>
        )}
        {exchanges.slice(exchanges.length - count).map((exchange) => (
          <ExchangeView
            key={exchange.id}
            chat={chat}
            exchange={exchange}
            isLast={exchange === exchanges.at(-1)}
            onShown={follow}
          />
        ))}
      </div>
      <Composer
        draft={chats.draft}
        isRunning={chat.isRunning.value}
        blindModel={models.find((model) => chosen.includes(model.id) && model.capabilities.vision !== true)?.id}
        onSend={(question) => {
          chat.ask(question)
          setTimeout(toEnd)
        }}
        onStop={() => chat.stop()}
        onDraft={(question) => {
          draft.value = question
          chats.keepDraft(question.text)
        }}
      >
        {undo !== undefined && <UndoLine {...undo} />}
      </Composer>
    </div>
  )
}

function UndoLine({ text, act }: Undo) {
  return (
    <p role="status" class="undo">
      {text}{' '}
      <button type="button" class="small" onClick={act}>
        {texts.chat.undo}
      </button>
    </p>
  )
}
