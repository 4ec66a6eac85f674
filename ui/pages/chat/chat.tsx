/**
 * Chat: a conversation with one model, or with two side by side; with pictures, tools, figures and the code of each
 * request.
 */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { ModelPicker, NoModels } from '../../parts/play/model-picker.tsx'
import { canAnswer, chosenModel, type PlayModel, usePlayModels } from '../../parts/play/play-models.ts'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import { AnswerView } from './answer-view.tsx'
import { Composer } from './composer.tsx'
import type { Exchange, Question } from './conversation.ts'
import { Chat } from './conversation-state.ts'
import { useFollowEnd } from './follow-end.ts'
import { QuestionView } from './question-view.tsx'
import { keepWhileShown, restoreFromTab } from './tab-memory.ts'
import { Toolbar } from './toolbar.tsx'
import type { Undo } from './undo.ts'

const chatTypes = ['chat', 'vision'] as const
const noQuestion: Question = { text: '', pictures: [], lostPictures: 0 }

export default function ChatPage() {
  const models = usePlayModels(chatTypes)
  const chat = useMemo(begin, [])

  useEffect(() => {
    const endKeeping = keepWhileShown(chat)
    void chat.findReceipts()
    return () => {
      // An answer is not needed once the page is left.
      chat.stop()
      endKeeping()
    }
  }, [chat])

  return (
    <Page title={texts.chat.title}>
      <Loaded answer={models}>
        {(usable) => (usable.length === 0 ? <NoModels /> : <Conversation chat={chat} models={usable} />)}
      </Loaded>
    </Page>
  )
}

function begin(): Chat {
  const chat = new Chat()
  restoreFromTab(chat)
  const wanted = place.value.query.get('model')
  if (wanted !== null) chat.models.value = [wanted, ...chat.models.value.slice(1)]
  return chat
}

interface ConversationProps {
  readonly chat: Chat
  readonly models: readonly PlayModel[]
}

function Conversation({ chat, models }: ConversationProps) {
  const { follow, toEnd } = useFollowEnd()
  const draft = useRef(noQuestion)
  const columns = chat.models.value
  const chosen = columns.map((wanted) => chosenModel(models, wanted))
  const exchanges = chat.exchanges.value
  const other = models.find((model) => model.id !== chosen[0] && canAnswer(model))

  useEffect(() => {
    if (chosen.join() !== columns.join()) chat.models.value = chosen
  })

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
        {exchanges.map((exchange) => (
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
        isRunning={chat.isRunning.value}
        blindModel={models.find((model) => chosen.includes(model.id) && model.capabilities.vision !== true)?.id}
        onSend={(question) => {
          chat.ask(question)
          setTimeout(toEnd)
        }}
        onStop={() => chat.stop()}
        onDraft={(question) => {
          draft.current = question
        }}
      >
        {chat.undo.value !== undefined && <UndoLine {...chat.undo.value} />}
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

interface ExchangeViewProps {
  readonly chat: Chat
  readonly exchange: Exchange
  readonly isLast: boolean
  readonly onShown: () => void
}

function ExchangeView({ chat, exchange, isLast, onShown }: ExchangeViewProps) {
  const { id, question, answers } = exchange
  return (
    <article class="exchange">
      <QuestionView
        id={id}
        question={question}
        onEdit={(edited) => chat.edit(id, edited)}
        onRemove={() => chat.remove(id)}
      />
      <div class={answers.length > 1 ? 'answers side-by-side' : 'answers'}>
        {answers.map((answer, column) =>
          answer === undefined ? null : (
            <AnswerView
              // A column never changes its place.
              key={column}
              answer={answer}
              isLast={isLast}
              mayRedo={isLast && chat.canRedo(id, column)}
              onRedo={() => chat.redo(id, column)}
              onResult={(step, call, result) => chat.setResult(step, call, result)}
              onSendResults={() => chat.sendResults(id, column)}
              onShown={onShown}
            />
          ),
        )}
      </div>
    </article>
  )
}
