import { Icon } from '../../parts/icon.tsx'
import { positionText } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'
import type { Playback } from './use-playback.ts'

const rates = [0.5, 0.75, 1, 1.25, 1.5, 2] as const

interface PlayerProps {
  readonly playback: Playback
  readonly durationSeconds: number
}

/** Shows play button, position and speed. */
export function Player({ playback, durationSeconds }: PlayerProps) {
  const { url, attach, isPlaying, isUnplayable, rate, setRate, toggle } = playback
  return (
    <div class="playback">
      {/* biome-ignore lint/a11y/useMediaCaption: the transcript stands below. */}
      <audio ref={attach} src={url} preload="auto" />
      {isUnplayable && <p class="warn">{texts.transcribe.unplayable}</p>}
      <button type="button" disabled={isUnplayable} onClick={toggle}>
        <Icon name={isPlaying ? 'pause' : 'play'} /> {isPlaying ? texts.transcribe.pause : texts.transcribe.play}
      </button>
      <Position playback={playback} durationSeconds={durationSeconds} />
      <select
        aria-label={texts.transcribe.rate}
        value={String(rate)}
        onChange={({ currentTarget }) => setRate(Number(currentTarget.value))}
      >
        {rates.map((each) => (
          <option key={each} value={String(each)}>
            {each}×
          </option>
        ))}
      </select>
    </div>
  )
}

/** Shows the position, repainted on each frame while it plays. */
function Position({ playback, durationSeconds }: PlayerProps) {
  const at = playback.seconds.value
  const text = `${positionText(at)} / ${positionText(durationSeconds)}`
  return (
    <>
      <span class="number position">{text}</span>
      <input
        type="range"
        aria-label={texts.transcribe.position}
        aria-valuetext={text}
        min={0}
        max={durationSeconds}
        step={0.1}
        value={at}
        disabled={playback.isUnplayable}
        onInput={({ currentTarget }) => playback.seek(Number(currentTarget.value))}
      />
    </>
  )
}
