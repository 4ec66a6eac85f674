import { useState } from 'preact/hooks'
import { LongText } from '../../parts/long-text.tsx'
import { texts } from '../../texts/texts.ts'
import type { Question } from './conversation.ts'
import { PictureList } from './picture-list.tsx'

export interface QuestionViewProps {
  readonly question: Question
  readonly onEdit: (question: Question) => void
  readonly onRemove: () => void
}

/** What the person said, which can be changed and asked again. */
export function QuestionView({ question, onEdit, onRemove }: QuestionViewProps) {
  const [isEdited, setIsEdited] = useState(false)
  return (
    <div class="question">
      <h2 class="unseen">{texts.chat.you}</h2>
      <PictureList pictures={question.pictures} />
      {question.lostPictures > 0 && <p class="hint">{texts.chat.lostPictures(question.lostPictures)}</p>}
      {isEdited ? (
        <EditForm
          text={question.text}
          onCancel={() => setIsEdited(false)}
          onSend={(text) => {
            setIsEdited(false)
            onEdit({ ...question, text })
          }}
        />
      ) : (
        <p class="said" dir="auto">
          <LongText text={question.text} isCut />
        </p>
      )}
      {!isEdited && (
        <div class="turn-actions">
          <button type="button" class="small" onClick={() => setIsEdited(true)}>
            {texts.chat.edit}
          </button>
          <button type="button" class="small" onClick={onRemove}>
            {texts.chat.remove}
          </button>
        </div>
      )}
    </div>
  )
}

interface EditFormProps {
  readonly text: string
  readonly onSend: (text: string) => void
  readonly onCancel: () => void
}

function EditForm({ text, onSend, onCancel }: EditFormProps) {
  const [edited, setEdited] = useState(text)
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault()
        if (edited.trim() !== '') onSend(edited)
      }}
    >
      <textarea
        rows={4}
        dir="auto"
        aria-label={texts.chat.message}
        value={edited}
        onInput={({ currentTarget }) => setEdited(currentTarget.value)}
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
