import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { offlineSinceMs } from '../../api/connection.ts'
import { alarm } from '../../parts/announce.tsx'
import { Icon } from '../../parts/icon.tsx'
import { IconButton } from '../../parts/icon-button.tsx'
import { texts } from '../../texts/texts.ts'
import { AttachmentList } from './attachment-list.tsx'
import { ComposerField } from './composer-field.tsx'
import { noQuestion, type Question } from './conversation.ts'
import { isHeard } from './read-sound.ts'
import { isSeen, useAttachments } from './use-attachments.ts'
import { useDroppedFiles } from './use-dropped-files.ts'
import { useEscape } from './use-escape.ts'
import { useKeyboard } from './use-keyboard.ts'
import { useDictation } from './voice/use-dictation.tsx'

interface ComposerProps {
  /** Message to begin with. */
  readonly draft: Question
  readonly isRunning: boolean
  /** Model for which documents are counted. Undefined if none is chosen. */
  readonly model: string | undefined
  /** Model that takes no pictures. Undefined if pictures can be sent. */
  readonly blindModel: string | undefined
  /** Model that takes no recordings. Undefined if recordings can be sent. */
  readonly deafModel: string | undefined
  readonly onSend: (question: Question) => void
  readonly onStop: () => void
  /** Called at each change of the draft. */
  readonly onDraft: (question: Question) => void
  /** Shown above the field. */
  readonly children?: ComponentChildren
}

/** Edits a message with picked, pasted or dropped pictures, documents, recordings and text files. */
export function Composer({
  draft,
  isRunning,
  model,
  blindModel,
  deafModel,
  onSend,
  onStop,
  onDraft,
  children,
}: ComposerProps) {
  const text = useSignal(draft.text)
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const isOffline = offlineSinceMs.value !== undefined

  const isGone = useRef(false)
  // A file that was read after another conversation was opened is no part of that one's draft.
  const change = () => {
    if (!isGone.current) onDraft(question())
  }
  const { pictures, files, add, remove, clear } = useAttachments(draft, { model, blindModel, deafModel }, change)
  const question = () => ({ ...noQuestion, text: text.value, pictures: pictures.value, files: files.value })
  useEffect(() => {
    change()
    return () => {
      isGone.current = true
    }
  }, [])
  const dictation = useDictation(field)
  useKeyboard()
  const isOver = useDroppedFiles((dropped) => void add(dropped))
  useEscape(isRunning, onStop)

  /** Replaces the text. */
  const write = (written: string) => {
    text.value = written
    if (field.current !== null) field.current.value = written
    change()
  }

  const send = () => {
    const isEmpty = text.value.trim() === '' && pictures.value.length === 0 && files.value.length === 0
    if (isEmpty || isRunning || isOffline) return
    if (pictures.value.some(isSeen) && blindModel !== undefined) return alarm(texts.chat.cannotSee(blindModel))
    if (pictures.value.some(isHeard) && deafModel !== undefined) return alarm(texts.chat.cannotHear(deafModel))
    onSend(question())
    clear()
    write('')
  }

  return (
    <section class={isOver ? 'composer dropping' : 'composer'} aria-label={texts.chat.message}>
      {children}
      {dictation.panel}
      <div class="composer-box">
        <AttachmentList pictures={pictures.value} files={files.value} onRemove={remove} />
        <div class="composer-row">
          <IconButton icon="paperclip" label={texts.chat.addFile} onClick={() => picker.current?.click()} />
          <input
            ref={picker}
            hidden
            type="file"
            aria-label={texts.chat.addFile}
            multiple
            tabIndex={-1}
            onChange={({ currentTarget }) => {
              void add([...(currentTarget.files ?? [])])
              currentTarget.value = ''
            }}
          />
          <ComposerField
            field={field}
            initial={draft.text}
            text={text.value}
            onText={(written) => {
              text.value = written
              change()
            }}
            onSend={send}
            onFiles={(pasted) => void add(pasted)}
          />
          {dictation.button}
          {isRunning ? (
            <button type="button" class="danger icon-button" title={texts.chat.stopHint} onClick={onStop}>
              <Icon name="square" /> <span class="unseen">{texts.chat.stop}</span>
            </button>
          ) : (
            <button
              type="button"
              class="primary icon-button"
              title={texts.chat.send}
              disabled={isOffline}
              onClick={send}
            >
              <Icon name="arrow-up" /> <span class="unseen">{texts.chat.send}</span>
            </button>
          )}
        </div>
      </div>
    </section>
  )
}
