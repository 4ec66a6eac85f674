import { useSignal, useSignalEffect } from '@preact/signals'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { RowMenu } from '../../parts/row-menu.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useGrowing } from '../../parts/use-growing.ts'
import { texts } from '../../texts/texts.ts'
import { AllMenu, exportFile } from './conversation-files.tsx'
import type { Chats } from './kept/chats.ts'
import type { ConversationRecord } from './kept/records.ts'
import { matcher, wordsOf } from './kept/words.ts'

/** Rows that are drawn at first */
const firstRows = 60

interface ConversationListProps {
  readonly chats: Chats
  /** Called when a conversation was chosen. */
  readonly onChosen: () => void
}

/** Shows the conversations of this browser, to be searched, opened, named, copied, exported and deleted. */
export function ConversationList({ chats, onChosen }: ConversationListProps) {
  const query = useSignal('')
  const found = useSignal<ReadonlySet<number>>(new Set())
  const renamed = useSignal<ConversationRecord | undefined>(undefined)

  useSignalEffect(() => {
    const wanted = query.value
    // Searches again after each change of the list.
    chats.list.value
    if (wanted === '') return
    void chats.search(wanted).then((ids) => {
      if (query.peek() === wanted) found.value = ids
    })
  })

  const isInTitle = matcher(query.value)
  const list = chats.list.value.filter(
    ({ id, title }) => query.value === '' || found.value.has(id) || isInTitle(wordsOf([title])),
  )
  const { count, edge } = useGrowing(list.length, firstRows, query.value)

  return (
    <nav class="conversations" aria-label={texts.chat.conversations}>
      <div class="conversations-head">
        <SearchField
          label={texts.chat.search}
          value=""
          pauseMs={0}
          // Reads the words while the person begins to type.
          onFocus={() => void chats.search('')}
          onSearch={(text) => {
            query.value = text
          }}
        />
        <AllMenu chats={chats} />
      </div>
      {!chats.isKept && <p class="hint">{texts.chat.keepsNone}</p>}
      {list.length === 0 && chats.isKept && (
        <p class="hint">{query.value === '' ? texts.chat.noneYet : texts.chat.noneFound}</p>
      )}
      <ul>
        {list.slice(0, count).map((conversation) => (
          <Row
            key={conversation.id}
            chats={chats}
            conversation={conversation}
            onChoose={() => void chats.open(conversation.id).then(onChosen)}
            onRename={() => {
              renamed.value = conversation
            }}
          />
        ))}
        {count < list.length && <li ref={edge as { current: HTMLLIElement | null }} class="edge" aria-hidden="true" />}
      </ul>
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

interface RowProps {
  readonly chats: Chats
  readonly conversation: ConversationRecord
  readonly onChoose: () => void
  readonly onRename: () => void
}

function Row({ chats, conversation, onChoose, onRename }: RowProps) {
  const { id } = conversation
  const title = conversation.title || texts.chat.untitled
  const isShown = chats.shown.value.id === id
  return (
    <li>
      <button type="button" class="conversation" aria-current={isShown ? 'page' : undefined} onClick={onChoose}>
        {title}
      </button>
      <RowMenu
        label={texts.chat.actionsOf(title)}
        items={[
          { label: texts.chat.rename, onChoose: onRename },
          { label: texts.chat.duplicate, onChoose: () => void chats.duplicate(id) },
          { label: texts.chat.export, onChoose: () => void exportFile(chats, id) },
          { label: texts.chat.remove, onChoose: () => void chats.remove(id), isDangerous: true },
        ]}
      />
    </li>
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
        maxLength={200}
        required
        isFirst
      />
    </FormDialog>
  )
}
