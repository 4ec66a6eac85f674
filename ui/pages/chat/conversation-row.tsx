import { type ReadonlySignal, useComputed } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { RowMenu } from '../../parts/row-menu.tsx'
import { texts } from '../../texts/texts.ts'
import { exportFile } from './conversation-files.tsx'
import type { Chats } from './kept/chats.ts'
import type { ExcerptPart } from './kept/excerpt.ts'
import type { ConversationRecord } from './kept/records.ts'

interface ConversationRowProps {
  readonly chats: Chats
  readonly conversation: ConversationRecord
  /** Words that the messages of the conversation contain. Empty without a search. */
  readonly query: string
  /** Id of the row that Tab reaches. Arrow keys reach the others. */
  readonly stop: ReadonlySignal<number | undefined>
  readonly onChoose: () => void
  readonly onRename: () => void
  readonly onRemove: () => void
}

/** Shows a conversation in the list, with the words that were searched for. */
export function ConversationRow(props: ConversationRowProps) {
  const { chats, conversation, query, stop, onChoose, onRename, onRemove } = props
  const { id } = conversation
  const title = conversation.title || texts.chat.untitled
  const isShown = useComputed(() => chats.shown.value.id === id).value
  const isStop = useComputed(() => stop.value === id).value
  const excerpt = useExcerpt(chats, conversation, query)
  return (
    <li>
      <button
        type="button"
        class="conversation"
        title={title}
        data-id={id}
        tabIndex={isStop ? 0 : -1}
        aria-current={isShown ? 'page' : undefined}
        aria-keyshortcuts="F2 Delete"
        onClick={onChoose}
      >
        <span class="conversation-title" dir="auto">
          {title}
        </span>
        {excerpt.length > 0 && (
          <span class="excerpt" dir="auto">
            {excerpt.map(({ text, isMarked }, index) => (isMarked ? <mark key={index}>{text}</mark> : text))}
          </span>
        )}
      </button>
      <RowMenu
        label={texts.chat.actionsOf(title)}
        isStop={isStop}
        items={[
          { label: texts.chat.rename, onChoose: onRename },
          { label: texts.chat.duplicate, onChoose: () => void chats.duplicate(id) },
          { label: texts.chat.export, onChoose: () => void exportFile(chats, id) },
          { label: texts.chat.remove, onChoose: onRemove, isDangerous: true },
        ]}
      />
    </li>
  )
}

const noExcerpt: readonly ExcerptPart[] = []

/** Returns the words of a query in the conversation. They are read after the list is drawn. */
function useExcerpt(chats: Chats, { id, changedAtMs }: ConversationRecord, query: string): readonly ExcerptPart[] {
  const [read, setRead] = useState({ query: '', excerpt: noExcerpt })
  useEffect(() => {
    if (query === '') return
    let isWanted = true
    void chats.excerpt(id, query).then((excerpt) => isWanted && setRead({ query, excerpt }))
    return () => {
      isWanted = false
    }
  }, [chats, id, changedAtMs, query])
  return query === '' ? noExcerpt : read.excerpt
}
