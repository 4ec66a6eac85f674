import { useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { positionText } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'
import { nameOf, type SpeakerEdits } from './speakers.ts'
import { colourOf } from './timeline.tsx'
import { type Transcript, type Turn, textOf, type Word, wordAt } from './transcript.ts'
import type { Playback } from './use-playback.ts'

interface TurnListProps {
  readonly transcript: Transcript
  readonly turns: readonly Turn[]
  readonly edits: SpeakerEdits
  readonly playback: Playback
  /** Underlines words of low confidence. */
  readonly marksUnsure: boolean
}

/** Shows the text by turns. A click on a word plays from there, and the word being played is marked. */
export function TurnList({ transcript, turns, edits, playback, marksUnsure }: TurnListProps) {
  const list = useRef<HTMLOListElement>(null)
  const words = useMemo(() => turns.flatMap((turn) => turn.words), [turns])
  const marked = useRef<Element | undefined>(undefined)

  // Redrawing all words on each frame would be too slow.
  useSignalEffect(() => {
    const index = wordAt(words, playback.seconds.value)
    const heard = index === undefined ? undefined : (list.current?.querySelector(`[data-word="${index}"]`) ?? undefined)
    if (heard === marked.current) return
    marked.current?.removeAttribute('aria-current')
    heard?.setAttribute('aria-current', 'true')
    marked.current = heard
  })

  const seekToWord = ({ target }: Event) => {
    const word = target instanceof HTMLElement ? words[Number(target.dataset.word ?? Number.NaN)] : undefined
    if (word !== undefined) playback.playFrom(word.start)
  }
  let before = 0
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: each turn has a button for the same.
    <ol ref={list} class={marksUnsure ? 'turns marks-unsure' : 'turns'} onClick={seekToWord}>
      {turns.map((turn) => {
        const first = before
        before += turn.words.length
        return (
          <li key={turn.start} class="turn">
            <button
              type="button"
              class="small number"
              aria-label={texts.transcribe.seek(positionText(turn.start))}
              onClick={() => playback.playFrom(turn.start)}
            >
              {positionText(turn.start)}
            </button>
            {turn.speaker !== undefined && (
              <b class={`turn-speaker series-${colourOf(transcript, turn.speaker)}`}>{nameOf(edits, turn.speaker)}</b>
            )}
            <Words words={turn.words} first={first} />
          </li>
        )
      })}
    </ol>
  )
}

/** Words with a lower confidence are unsure. */
const sureScore = 0.5

/** Distance from the window at which words become clickable. */
const nearMargin = '800px'

/**
 * Shows plain text until it is near the window, because hours of speech have tens of thousands of words. Never redrawn
 * for changed names.
 */
function Words({ words, first }: { readonly words: readonly Word[]; readonly first: number }) {
  const place = useRef<HTMLParagraphElement>(null)
  const [isNear, setIsNear] = useState(false)

  useEffect(() => {
    if (place.current === null) return
    const observer = new IntersectionObserver((seen) => setIsNear(seen.at(-1)?.isIntersecting === true), {
      rootMargin: nearMargin,
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [])

  return useMemo(
    () => (
      <p ref={place}>
        {!isNear
          ? textOf(words)
          : words.map(({ text, space, score }, index) => (
              <>
                {space}
                <span data-word={first + index} class={score !== undefined && score < sureScore ? 'unsure' : undefined}>
                  {text}
                </span>
              </>
            ))}
      </p>
    ),
    [words, first, isNear],
  )
}
