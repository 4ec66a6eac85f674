import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useGrowing } from '../../parts/use-growing.ts'
import { texts } from '../../texts/texts.ts'
import { maximumTitle } from './conversation-file.ts'
import { AllMenu } from './conversation-files.tsx'
import { ConversationRow } from './conversation-row.tsx'
import type { Chats } from './kept/chats.ts'
import type { ConversationRecord } from './kept/records.ts'
import { listAction } from './list-keys.ts'
import { StorageLine } from './storage-line.tsx'
import { UndoLine } from './undo-line.tsx'
import { useConversationSearch } from './use-conversation-search.ts'

/** Rows that are drawn at first: more than a screen holds. Rows of a search have excerpts, which take longer. */
const firstRows = { list: 60, search: 20 }

interface ConversationListProps {
  readonly chats: Chats
  /** True if the list covers the conversation, as on a phone. */
  readonly isSheet: boolean
  /** Called when a conversation was chosen. */
  readonly onChosen: () => void
}

/** Shows the conversations of this browser, to be searched, opened, named, copied, exported and deleted. */
export function ConversationList({ chats, isSheet, onChosen }: ConversationListProps) {
  const { query, found, list } = useConversationSearch(chats)
  const renamed = useSignal<ConversationRecord | undefined>(undefined)
  const focused = useSignal<number | undefined>(undefined)
  const nav = useRef<HTMLElement>(null)
  /** Row that gets the focus once it is drawn. */
  const wanted = useRef<number | undefined>(undefined)

  const { count, edge } = useGrowing(list.length, query.value === '' ? firstRows.list : firstRows.search, query.value)
  const drawn = list.slice(0, count)
  const ids = drawn.map(({ id }) => id)
  // Opening a conversation or moving in the list draws two rows again, not all.
  const drawnIds = useSignal(ids)
  useEffect(() => {
    if (ids.join() !== drawnIds.peek().join()) drawnIds.value = ids
  })
  const stop = useComputed(() => {
    const known = drawnIds.value
    return [focused.value, chats.shown.value.id].find((id) => id !== undefined && known.includes(id)) ?? known[0]
  })

  const field = () => nav.current?.querySelector<HTMLInputElement>('input[type=search]')
  const focus = (id: number | undefined) => {
    const row = nav.current?.querySelector<HTMLElement>(`[data-id="${id}"]`)
    const target = row ?? field()
    target?.focus()
  }
  useEffect(() => {
    if (!drawn.some(({ id }) => id === wanted.current)) return
    focus(wanted.current)
    wanted.current = undefined
  })

  // In a sheet the search field would get the focus first, which opens a keyboard on the screen.
  useEffect(() => {
    if (isSheet) focus(stop.peek())
  }, [isSheet])

  const choose = (id: number) => void chats.open(id, query.peek()).then(onChosen)
  const remove = (index: number) => {
    const removed = drawn[index]
    if (removed === undefined) return
    // The removed row would take the focus with it.
    focus((drawn[index + 1] ?? drawn[index - 1])?.id)
    void chats.remove(removed.id)
  }
  const undo = chats.undo.value

  const onKeyDown = (event: KeyboardEvent) => {
    const { target } = event
    if (!(target instanceof HTMLElement)) return
    if (target === field()) {
      const [first] = drawn
      if (event.isComposing || first === undefined) return
      if (event.key === 'ArrowDown') focus(first.id)
      else if (event.key === 'Enter' && query.value !== '') choose(first.id)
      else return
      event.preventDefault()
      return
    }
    const index = drawn.findIndex(({ id }) => String(id) === target.dataset.id)
    if (index < 0) return
    const action = listAction(event, index, drawn.length)
    if (action === undefined) return
    event.preventDefault()
    if (action === 'rename') renamed.value = drawn[index]
    else if (action === 'remove') remove(index)
    else focus(drawn[action.move]?.id)
  }

  return (
    <nav class="conversations" ref={nav} aria-label={texts.chat.conversations} onKeyDown={onKeyDown}>
      <div class="conversations-head">
        <SearchField
          label={texts.chat.search}
          value=""
          pauseMs={0}
          onSearch={(text) => {
            query.value = text
          }}
        />
        {chats.problem.value === undefined && <AllMenu chats={chats} />}
      </div>
      {chats.problem.value !== undefined && <p class="hint">{chats.problem}</p>}
      {undo !== undefined && (
        <UndoLine
          text={undo.text}
          act={() => {
            wanted.current = undo.id
            undo.act()
          }}
        />
      )}
      {list.length === 0 && chats.problem.value === undefined && (
        <p class="hint">{query.value === '' ? texts.chat.noneYet : texts.chat.noneFound}</p>
      )}
      <ul
        onFocusIn={({ target }) => {
          const id =
            target instanceof HTMLElement ? target.closest('li')?.querySelector('button')?.dataset.id : undefined
          if (id !== undefined) focused.value = Number(id)
        }}
      >
        {drawn.map((conversation, index) => (
          <ConversationRow
            key={conversation.id}
            chats={chats}
            conversation={conversation}
            query={found.has(conversation.id) ? query.value : ''}
            stop={stop}
            onChoose={() => choose(conversation.id)}
            onRename={() => {
              renamed.value = conversation
            }}
            onRemove={() => remove(index)}
          />
        ))}
        {count < list.length && <li ref={edge as { current: HTMLLIElement | null }} class="edge" aria-hidden="true" />}
      </ul>
      <StorageLine chats={chats} />
      {renamed.value !== undefined && (
        <RenameDialog
          chats={chats}
          conversation={renamed.value}
          onClose={() => {
            renamed.value = undefined
          }}
        />
      )}
    </nav>
  )
}

interface RenameDialogProps {
  readonly chats: Chats
  readonly conversation: ConversationRecord
  readonly onClose: () => void
}

function RenameDialog({ chats, conversation, onClose }: RenameDialogProps) {
  return (
    <FormDialog
      title={texts.chat.rename}
      button={texts.shared.done}
      onClose={onClose}
      onSend={async (field) => {
        await chats.rename(conversation.id, field('title'))
        onClose()
      }}
    >
      <Field
        label={texts.chat.titleLabel}
        name="title"
        defaultValue={conversation.title}
        maxLength={maximumTitle}
        required
        isFirst
      />
    </FormDialog>
  )
}
