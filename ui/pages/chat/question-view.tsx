import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { IconButton } from '../../parts/icon-button.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { useDraft } from '../../parts/play/use-draft.ts'
import { texts } from '../../texts/texts.ts'
import { AttachmentList } from './attachment-list.tsx'
import type { Question } from './conversation.ts'
import type { Versions } from './kept/tree.ts'
import { VersionChoice } from './version-choice.tsx'

interface QuestionViewProps {
  /** Id of its exchange. */
  readonly id: number
  readonly question: Question
  readonly versions: Versions
  readonly onVersion: (id: number) => void
  readonly onEdit: (question: Question) => void
  readonly onRemove: () => void
}

/** Shows a message of the person, which can be edited and sent again. */
export function QuestionView({ id, question, versions, onVersion, onEdit, onRemove }: QuestionViewProps) {
  const [edited, setEdited] = useDraft(`chat-edit-${id}`)
  const isEdited = edited !== ''
  const field = useRef<HTMLTextAreaElement>(null)
  const isBegun = useRef(false)
  const actions = useRef<HTMLSpanElement>(null)
  // An edit that a reload brings back does not take the focus.
  useEffect(() => {
    if (!isBegun.current) return
    if (isEdited) field.current?.focus()
    else actions.current?.querySelector('button')?.focus()
  }, [isEdited])
  // An emptied draft becomes a blank, so that it still counts as a draft.
  const edit = (text: string) => setEdited(text === '' ? ' ' : text)
  return (
    <div class="question">
      <h2 class="unseen">{texts.chat.you}</h2>
      <AttachmentList pictures={question.pictures} files={question.files} />
      {question.lostPictures > 0 && <p class="hint">{texts.chat.lostPictures(question.lostPictures)}</p>}
      {isEdited && (
        <EditForm
          field={field}
          text={edited}
          onInput={edit}
          onCancel={() => setEdited('')}
          onSend={() => {
            setEdited('')
            onEdit({ ...question, text: edited })
          }}
        />
      )}
      {!isEdited && question.text !== '' && (
        <p class="bubble said" dir="auto">
          <LongText text={question.text} isCut />
        </p>
      )}
      {!isEdited && (
        <div class="turn-actions">
          <span ref={actions} class="question-actions">
            <IconButton
              icon="pencil"
              label={texts.chat.edit}
              onClick={() => {
                isBegun.current = true
                edit(question.text)
              }}
            />
            <IconButton icon="trash-2" label={texts.chat.remove} onClick={onRemove} />
          </span>
          <VersionChoice label={texts.chat.versions.question} versions={versions} onChoose={onVersion} />
        </div>
      )}
    </div>
  )
}

interface EditFormProps {
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly text: string
  readonly onInput: (text: string) => void
  readonly onSend: () => void
  readonly onCancel: () => void
}

function EditForm({ field, text, onInput, onSend, onCancel }: EditFormProps) {
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') onSend()
      }}
    >
      <textarea
        ref={field}
        rows={4}
        dir="auto"
        aria-label={texts.chat.message}
        value={text}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel()
          if (event.key !== 'Enter' || event.isComposing || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          event.currentTarget.form?.requestSubmit()
        }}
      />
      <p class="hint">{texts.chat.editHint}</p>
      <div class="actions">
        <button type="button" onClick={onCancel}>
          {texts.shared.cancel}
        </button>
        <button type="submit" class="primary">
          {texts.chat.send}
        </button>
      </div>
    </form>
  )
}
