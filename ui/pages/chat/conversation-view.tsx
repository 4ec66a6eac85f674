import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Empty } from '../../parts/loaded.tsx'
import type { PlayModel } from '../../parts/play/play-models.ts'
import { useGrowing } from '../../parts/use-growing.ts'
import { texts } from '../../texts/texts.ts'
import { Composer } from './composer.tsx'
import type { Question } from './conversation.ts'
import { ExampleMessages } from './example-messages.tsx'
import { ExchangeView } from './exchange-view.tsx'
import { useFollowEnd } from './follow-end.ts'
import { sampleTool } from './tools.ts'
import { UndoLine } from './undo-line.tsx'
import type { KeptChats } from './use-chats.ts'
import { focusMessage } from './use-new-chat-key.ts'

interface ConversationViewProps extends KeptChats {
  readonly models: readonly PlayModel[]
  /** Ids of the models by column. */
  readonly chosen: readonly string[]
  /** Takes the message that is being written. */
  readonly draft: Signal<Question>
}

/** Exchanges that are drawn at first: more than a screen holds. */
const firstExchanges = 6

/** Shows the messages of a conversation and the field for the next one. */
export function ConversationView({ chats, parts, models, chosen, draft }: ConversationViewProps) {
  const chat = chats.shown.value
  const { follow, toEnd, toPlace } = useFollowEnd()
  const hit = chats.hit.value
  const undo = chat.undo.value
  const exchanges = chat.exchanges.value
  const place = exchanges.findIndex(({ id }) => id === hit?.exchange)
  // Draws the found message as well, and the one before it.
  const step = place < 0 ? firstExchanges : Math.max(firstExchanges, exchanges.length - place + 1)
  const { count, edge, grow } = useGrowing(exchanges.length, step, hit ?? chat.id)

  useEffect(() => {
    if (hit === undefined) toEnd()
    else toPlace(() => parts.markHit(hit))
    return parts.unmarkHit
  }, [chat, hit])
  useEffect(() => void chat.findReceipts(), [chat])

  const first = models.find(({ id }) => id === chosen[0])
  const sendExample = (question: Question, tool: string | undefined) => {
    if (tool !== undefined && chat.tools.value === '') chat.tools.value = JSON.stringify([sampleTool(tool)], null, 2)
    chat.ask(question)
    focusMessage()
  }

  return (
    <div class={chosen.length > 1 ? 'chat comparing' : 'chat'}>
      <div class="exchanges">
        {exchanges.length === 0 && (
          <Empty text={texts.chat.empty}>
            {first !== undefined && <ExampleMessages model={first} onSend={sendExample} />}
          </Empty>
        )}
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
        model={chosen[0]}
        blindModel={models.find((model) => chosen.includes(model.id) && model.capabilities.vision !== true)?.id}
        deafModel={models.find((model) => chosen.includes(model.id) && model.capabilities.audio !== true)?.id}
        onSend={(question) => {
          chat.ask(question)
          chats.hit.value = undefined
          setTimeout(toEnd)
        }}
        onStop={() => chat.stop()}
        onDraft={(question) => {
          draft.value = question
          chats.keepDraft(question)
        }}
      >
        {undo !== undefined && (
          <UndoLine
            text={undo.text}
            act={() => {
              undo.act()
              focusMessage()
            }}
          />
        )}
      </Composer>
    </div>
  )
}
