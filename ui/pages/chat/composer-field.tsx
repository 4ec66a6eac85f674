import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { texts } from '../../texts/texts.ts'

interface ComposerFieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>
  /** Text to begin with. */
  readonly initial: string
  /** Current text, by which the field grows. */
  readonly text: string
  readonly onText: (text: string) => void
  readonly onSend: () => void
  readonly onFiles: (files: readonly File[]) => void
}

/** Shows the field of a message, which grows with its text. Enter sends, Shift+Enter begins a line. */
export function ComposerField({ field, initial, text, onText, onSend, onFiles }: ComposerFieldProps) {
  useLayoutEffect(() => {
    if (field.current !== null) fitHeight(field.current)
  }, [text])

  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also ends a word in an input method. On touch devices it is a line break.
    if (event.key !== 'Enter' || event.isComposing || event.shiftKey) return
    const isTouch = matchMedia('(pointer: coarse)').matches
    if (isTouch && !event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    onSend()
  }
  return (
    <textarea
      ref={field}
      rows={1}
      dir="auto"
      defaultValue={initial}
      aria-label={texts.chat.message}
      placeholder={texts.chat.placeholder}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
      onKeyDown={onKeyDown}
      onPaste={(event) => {
        const { files = [], types = [] } = event.clipboardData ?? {}
        // Office programs add a picture of the copied text.
        const isText = ['text/plain', 'text/html'].every((type) => types.includes(type))
        if (files.length === 0 || isText) return
        event.preventDefault()
        onFiles([...files])
      }}
    />
  )
}

/** Makes a field as high as its text where the stylesheet cannot. */
function fitHeight(field: HTMLTextAreaElement): void {
  if (CSS.supports('field-sizing', 'content')) return
  field.style.blockSize = 'auto'
  field.style.blockSize = `${field.scrollHeight + 2}px`
}
