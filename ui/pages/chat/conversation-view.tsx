import { useEffect, useRef } from 'preact/hooks'
import { Empty } from '../../parts/loaded.tsx'
import { ModelPicker } from '../../parts/play/model-picker.tsx'
import { canAnswer, chosenModel, type PlayModel } from '../../parts/play/play-models.ts'
import { useGrowing } from '../../parts/use-growing.ts'
import { setQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import { Composer } from './composer.tsx'
import type { Question } from './conversation.ts'
import { ExchangeView } from './exchange-view.tsx'
import { useFollowEnd } from './follow-end.ts'
import type { Chats } from './kept/chats.ts'
import { Toolbar } from './toolbar.tsx'
import type { Undo } from './undo.ts'

const noQuestion: Question = { text: '', pictures: [], lostPictures: 0 }

/** Exchanges that are drawn at first: more than a screen holds. */
const firstExchanges = 10

interface ConversationViewProps {
  readonly chats: Chats
  readonly models: readonly PlayModel[]
}

/** Shows a conversation with its models, its messages and the field for the next one. */
export function ConversationView({ chats, models }: ConversationViewProps) {
  const chat = chats.shown.value
  const { follow, toEnd } = useFollowEnd()
  const draft = useRef(noQuestion)
  const undo = chat.undo.value ?? chats.undo.value
  const columns = chat.models.value
  const chosen = columns.map((wanted) => chosenModel(models, wanted))
  const exchanges = chat.exchanges.value
  const other = models.find((model) => model.id !== chosen[0] && canAnswer(model))

  useEffect(() => {
    if (chosen.join() !== columns.join()) chat.models.value = chosen
  })

  const { count, edge, grow } = useGrowing(exchanges.length, firstExchanges, chat.id)

  useEffect(() => {
    toEnd()
    void chat.findReceipts()
  }, [chat])

  const choose = (column: number, id: string) => {
    chat.models.value = chosen.map((model, index) => (index === column ? id : model))
    if (column === 0) setQuery({ model: id })
    chat.onChange()
  }

  return (
    <div class={columns.length > 1 ? 'chat comparing' : 'chat'}>
      <div class="chat-head">
        {chosen.map((id, column) => (
          <ModelPicker
            // A column never changes its place.
            key={column}
            label={columns.length > 1 ? texts.chat.modelOf(column + 1) : texts.play.model}
            models={models}
            value={id}
            onChange={(model) => choose(column, model)}
          />
        ))}
        <Toolbar chat={chat} otherModel={other?.id ?? chosen[0] ?? ''} draft={() => chat.draft(draft.current)} />
      </div>
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
          draft.current = question
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
