import { useRef, useState } from 'preact/hooks'
import { positionText } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'
import { LaneCanvas } from './lane-canvas.tsx'
import { nameOf, type SpeakerEdits } from './speakers.ts'
import type { Turn } from './transcript.ts'
import type { Playback } from './use-playback.ts'

export interface LaneProps {
  readonly speaker: string
  /** Turns of all speakers in order of time. */
  readonly turns: readonly Turn[]
  readonly edits: SpeakerEdits
  readonly durationSeconds: number
  /** Colour number, 1 to 8. */
  readonly colour: number
  readonly playback: Playback
}

/** Most turns drawn on the timeline. The list of turns below is its accessible version. */
export const maximumElements = 500

/** Shows the turns of one speaker as buttons along the recording's time. */
export function Lane(props: LaneProps) {
  const { speaker, turns, edits, durationSeconds, colour, playback } = props
  return (
    <div class={`lane series-${colour}`}>
      {turns.length > maximumElements ? (
        <LaneCanvas {...props} />
      ) : (
        turns.map((turn, index) =>
          turn.speaker !== speaker ? null : (
            <button
              key={turn.start}
              type="button"
              class="turn-mark"
              data-turn={index}
              style={{
                '--start': percent(turn.start, durationSeconds),
                '--length': percent(turn.end - turn.start, durationSeconds),
              }}
              aria-label={texts.transcribe.turn(
                nameOf(edits, speaker),
                positionText(turn.start),
                positionText(turn.end),
              )}
              onClick={() => playback.playFrom(turn.start)}
            />
          ),
        )
      )}
      <Playhead playback={playback} durationSeconds={durationSeconds} />
    </div>
  )
}

function Playhead({ playback, durationSeconds }: Pick<LaneProps, 'playback' | 'durationSeconds'>) {
  return <span class="playhead" style={{ '--start': percent(playback.seconds.value, durationSeconds) }} />
}

function percent(seconds: number, durationSeconds: number): string {
  return `${((100 * seconds) / Math.max(durationSeconds, 0.001)).toFixed(3)}%`
}

/**
 * Handles keys on the marks of turns: Tab reaches one of them, and the arrows move to the next or previous one in time,
 * of any speaker. Returns the handlers of the surrounding element.
 */
export function useTurnKeys(): {
  readonly ref: (element: HTMLElement | null) => void
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onFocusIn: (event: FocusEvent) => void
} {
  const around = useRef<HTMLElement | null>(null)
  const [reached, setReached] = useState(0)
  const marks = () =>
    [...(around.current?.querySelectorAll<HTMLElement>('[data-turn]') ?? [])].sort((a, b) => turnOf(a) - turnOf(b))
  return {
    ref: (element) => {
      around.current = element
      for (const mark of marks()) mark.tabIndex = turnOf(mark) === reached ? 0 : -1
    },
    onKeyDown: (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
      if (step === undefined || !(event.target instanceof HTMLElement) || event.target.dataset.turn === undefined)
        return
      event.preventDefault()
      marks()
        .at(Math.min(turnOf(event.target) + step, marks().length - 1))
        ?.focus()
    },
    onFocusIn: ({ target }) => {
      if (target instanceof HTMLElement && target.dataset.turn !== undefined) setReached(turnOf(target))
    },
  }
}

function turnOf({ dataset }: HTMLElement): number {
  return Number(dataset.turn)
}
