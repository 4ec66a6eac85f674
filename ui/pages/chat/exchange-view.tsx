import { AnswerView } from './answer-view.tsx'
import type { Exchange } from './conversation.ts'
import type { Chat } from './conversation-state.ts'
import { answerVersions, questionVersions } from './kept/tree.ts'
import { QuestionView } from './question-view.tsx'
import { focusMessage } from './use-new-chat-key.ts'

interface ExchangeViewProps {
  readonly chat: Chat
  readonly exchange: Exchange
  readonly isLast: boolean
  readonly onShown: () => void
}

/** Shows a question and its answers. */
export function ExchangeView({ chat, exchange, isLast, onShown }: ExchangeViewProps) {
  const { id, question, answers } = exchange
  /** Does something after which the pressed button is gone, and gives the focus to the field for the next message. */
  const act = (work: () => void) => {
    work()
    focusMessage()
  }
  return (
    <article class="exchange" data-exchange={id}>
      <QuestionView
        id={id}
        question={question}
        versions={questionVersions(chat.branches.value, exchange)}
        onVersion={(version) => chat.show(version)}
        onEdit={(edited) => act(() => chat.edit(id, edited))}
        onRemove={() => act(() => chat.remove(id))}
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
              onRedo={() => act(() => chat.redo(id, column))}
              onResult={(step, call, result) => chat.setResult(step, call, result)}
              onSendResults={() => act(() => chat.sendResults(id, column))}
              onShown={onShown}
            />
          ),
        )}
      </div>
    </article>
  )
}
