/**
 * Chat: a conversation with one model, or with two side by side; with pictures, tools, figures and the code of each
 * request.
 */
import { useSignal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { me } from '../../api/session.ts'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { ModelPicker, NoModels } from '../../parts/play/model-picker.tsx'
import { canAnswer, chosenModel, type PlayModel, usePlayModels } from '../../parts/play/play-models.ts'
import { useGrowing } from '../../parts/use-growing.ts'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import { AnswerView } from './answer-view.tsx'
import { Composer } from './composer.tsx'
import type { Exchange, Question } from './conversation.ts'
import { ConversationList } from './conversation-list.tsx'
import type { Chat } from './conversation-state.ts'
import { useFollowEnd } from './follow-end.ts'
import type { Chats } from './kept/chats.ts'
import { answerVersions, questionVersions } from './kept/tree.ts'
import { QuestionView } from './question-view.tsx'
import { Toolbar } from './toolbar.tsx'
import type { Undo } from './undo.ts'

const chatTypes = ['chat', 'vision'] as const
const noQuestion: Question = { text: '', pictures: [], lostPictures: 0 }

/** Exchanges that are drawn at first: more than a screen holds. */
const firstExchanges = 10
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
              <Conversation key={chats.shown.value.id} chats={chats} models={usable} />
            </div>
          )
        }}
      </Loaded>
    </Page>
  )
}

/** Opens the conversations of the account. Undefined until they are open. */
function useChats(): Chats | undefined {
  const [chats, setChats] = useState<Chats>()
  const account = me.value?.id
  useEffect(() => {
    if (account === undefined) return
    let isWanted = true
    // Loaded apart, while the models are asked for.
    const opening = import('./kept/chats.ts').then((loaded) => loaded.Chats.open(account))
    void opening.then((opened) => {
      if (!isWanted) return
      const { shown } = opened
      const wanted = place.peek().query.get('model')
      if (wanted !== null) shown.peek().models.value = [wanted, ...shown.peek().models.peek().slice(1)]
      setChats(opened)
    })
    return () => {
      isWanted = false
      // An answer is not needed once the page is left.
      void opening.then((opened) => opened.close())
    }
  }, [account])
  return chats
}

interface ConversationProps {
  readonly chats: Chats
  readonly models: readonly PlayModel[]
}

function Conversation({ chats, models }: ConversationProps) {
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
        versions={questionVersions(chat.branches.value, exchange)}
        onVersion={(version) => chat.show(version)}
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
              versions={answerVersions(chat.branches.value, exchange)}
              onVersion={(version) => chat.show(version)}
              mayRedo={!chat.isRunning.value && (!isLast || chat.canRedo(id, column))}
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
