import { useEffect, useRef } from 'preact/hooks'
import { noConnection } from '../../api/failure.ts'
import { alarm } from '../../parts/announce.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { PlayModel } from '../../parts/play/play-models.ts'
import { texts } from '../../texts/texts.ts'
import { noQuestion, type Question } from './conversation.ts'
import { type Example, examplesFor } from './example-list.ts'

interface ExampleMessagesProps {
  readonly model: PlayModel
  /** Sends a message, which may need a sample tool. */
  readonly onSend: (question: Question, tool: string | undefined) => void
}

/** Offers messages that fit the model. A press sends one. */
export function ExampleMessages({ model, onSend }: ExampleMessagesProps) {
  // Drawing a picture takes a moment, in which another press or a typed message may come first.
  const isOver = useRef(false)
  useEffect(
    () => () => {
      isOver.current = true
    },
    [],
  )
  const send = async ({ text, hasPicture, tool }: Example) => {
    const pictures = hasPicture === true ? [await (await import('./example-picture.ts')).drawExample()] : []
    if (isOver.current) return
    isOver.current = true
    onSend({ ...noQuestion, text, pictures }, tool)
  }
  return (
    <ul class="examples" aria-label={texts.chat.examples.title}>
      {examplesFor(model).map((example) => (
        <li key={example.text}>
          <button
            type="button"
            title={texts.chat.examples.hint}
            onClick={() => void send(example).catch(() => alarm(noConnection().message))}
          >
            {example.hasPicture === true && <Icon name="image" />}
            {example.text}
          </button>
        </li>
      ))}
    </ul>
  )
}
