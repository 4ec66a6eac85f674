import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { offlineSinceMs } from '../../api/connection.ts'
import { status } from '../../api/session.ts'
import { alarm } from '../../parts/announce.tsx'
import { Icon } from '../../parts/icon.tsx'
import { texts } from '../../texts/texts.ts'
import type { Picture, Question } from './conversation.ts'
import { PictureList } from './picture-list.tsx'
import { pictureTypes, readPicture } from './read-picture.ts'

interface ComposerProps {
  /** Text to begin with. */
  readonly draft: string
  readonly isRunning: boolean
  /** Model that takes no pictures. Undefined if pictures can be sent. */
  readonly blindModel: string | undefined
  readonly onSend: (question: Question) => void
  readonly onStop: () => void
  /** Called at each change of the draft. */
  readonly onDraft: (question: Question) => void
  /** Shown above the field. */
  readonly children?: ComponentChildren
}

/** Edits a message with picked, pasted or dropped pictures. */
export function Composer({ draft, isRunning, blindModel, onSend, onStop, onDraft, children }: ComposerProps) {
  const text = useSignal(draft)
  const pictures = useSignal<readonly Picture[]>([])
  const isDropping = useSignal(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const isOffline = offlineSinceMs.value !== undefined

  const question = (): Question => ({ text: text.value, pictures: pictures.value, lostPictures: 0 })
  const change = () => onDraft(question())
  useEffect(change, [])

  const send = () => {
    const isEmpty = text.value.trim() === '' && pictures.value.length === 0
    if (isEmpty || isRunning || isOffline) return
    if (pictures.value.length > 0 && blindModel !== undefined) return alarm(texts.chat.cannotSee(blindModel))
    onSend(question())
    text.value = ''
    pictures.value = []
    change()
    if (field.current !== null) field.current.value = ''
  }

  const add = async (files: readonly File[]) => {
    if (files.length === 0) return
    if (blindModel !== undefined) return alarm(texts.chat.cannotSee(blindModel))
    const { image_bytes: limitBytes, images: limit } = status.value?.limits ?? {}
    for (const file of files) {
      if (limit !== undefined && pictures.value.length >= limit) return alarm(texts.chat.tooManyPictures(limit))
      try {
        pictures.value = [...pictures.value, await readPicture(file, limitBytes)]
        change()
      } catch (error) {
        alarm(error instanceof Error ? error.message : String(error))
      }
    }
  }

  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also ends a word in an input method. On touch devices it is a line break.
    if (event.key !== 'Enter' || event.isComposing || event.shiftKey) return
    const isTouch = matchMedia('(pointer: coarse)').matches
    if (isTouch && !event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    send()
  }

  return (
    <section
      class={isDropping.value ? 'composer dropping' : 'composer'}
      aria-label={texts.chat.message}
      onDragOver={(event) => {
        event.preventDefault()
        isDropping.value = true
      }}
      onDragLeave={() => {
        isDropping.value = false
      }}
      onDrop={(event) => {
        event.preventDefault()
        isDropping.value = false
        void add([...(event.dataTransfer?.files ?? [])])
      }}
    >
      {children}
      <PictureList
        pictures={pictures.value}
        onRemove={(picture) => {
          pictures.value = pictures.value.filter((one) => one !== picture)
          change()
        }}
      />
      <div class="composer-row">
        <button
          type="button"
          class="icon-button"
          title={blindModel === undefined ? texts.chat.addPicture : texts.chat.cannotSee(blindModel)}
          disabled={blindModel !== undefined}
          onClick={() => picker.current?.click()}
        >
          <Icon name="image" /> <span class="unseen">{texts.chat.addPicture}</span>
        </button>
        <input
          ref={picker}
          class="picture-file"
          type="file"
          aria-label={texts.chat.addPicture}
          accept={pictureTypes.join(',')}
          multiple
          tabIndex={-1}
          onChange={({ currentTarget }) => {
            void add([...(currentTarget.files ?? [])])
            currentTarget.value = ''
          }}
        />
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          defaultValue={draft}
          aria-label={texts.chat.message}
          placeholder={texts.chat.placeholder}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
            change()
          }}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            const files = [...(event.clipboardData?.files ?? [])]
            if (files.length > 0) event.preventDefault()
            void add(files)
          }}
        />
        {isRunning ? (
          <button type="button" class="danger" onClick={onStop}>
            <Icon name="square" /> {texts.chat.stop}
          </button>
        ) : (
          <button type="button" class="primary" disabled={isOffline} onClick={send}>
            <Icon name="send" /> {texts.chat.send}
          </button>
        )}
      </div>
    </section>
  )
}
