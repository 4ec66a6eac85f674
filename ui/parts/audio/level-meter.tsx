import { useEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../../texts/texts.ts'
import { positionText } from '../time-text.ts'
import type { Recording } from './recording.ts'

/** Shows the recorded time and the current level. */
export function LevelMeter({ recording }: { readonly recording: Recording }) {
  const [seconds, setSeconds] = useState(0)
  const meter = useRef<HTMLMeterElement>(null)
  useEffect(() => {
    const startedMs = performance.now()
    let frame = 0
    const show = () => {
      if (meter.current !== null) meter.current.value = recording.level()
      setSeconds(Math.floor((performance.now() - startedMs) / 1_000))
      frame = requestAnimationFrame(show)
    }
    show()
    return () => cancelAnimationFrame(frame)
  }, [recording])
  return (
    <>
      <span class="number">{positionText(seconds)}</span>
      <meter ref={meter} min={0} max={1} aria-label={texts.voice.level} />
    </>
  )
}
