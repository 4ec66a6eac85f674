import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import { texts } from '../../texts/texts.ts'
import { hasMicrophones, type MicrophoneProblem, NoMicrophone, type Recording, startRecording } from './recording.ts'
import { positionText } from './transcript.ts'

interface RecordButtonProps {
  readonly isDisabled: boolean
  readonly onRecorded: (file: File) => void
}

/** Records the microphone with a level meter. Explains why if there is no microphone. */
export function RecordButton({ isDisabled, onRecorded }: RecordButtonProps) {
  const [recording, setRecording] = useState<Recording>()
  const [problem, setProblem] = useState<MicrophoneProblem | undefined>(hasMicrophones() ? undefined : 'insecure')
  const running = useRef<Recording | undefined>(undefined)
  const hasLeft = useRef(false)
  useEffect(
    () => () => {
      hasLeft.current = true
      running.current?.cancel()
    },
    [],
  )

  const begin = async () => {
    setProblem(undefined)
    try {
      const begun = await startRecording()
      // The page may have been left while the browser asked for permission.
      if (hasLeft.current) return begun.cancel()
      running.current = begun
      setRecording(begun)
    } catch (error) {
      setProblem(error instanceof NoMicrophone ? error.problem : 'failed')
    }
  }
  const end = async () => {
    const file = await recording?.stop()
    running.current = undefined
    setRecording(undefined)
    if (file !== undefined) onRecorded(file)
  }
  return (
    <>
      {recording === undefined ? (
        <button
          type="button"
          disabled={isDisabled || problem === 'insecure'}
          aria-describedby="microphone-problem"
          onClick={() => void begin()}
        >
          <Icon name="mic" /> {texts.transcribe.record}
        </button>
      ) : (
        <>
          <button type="button" class="danger" onClick={() => void end()}>
            <Icon name="square" /> {texts.transcribe.stopRecording}
          </button>
          <Level recording={recording} />
        </>
      )}
      <p id="microphone-problem" class={problem === 'insecure' ? 'microphone hint' : 'microphone warn'} role="status">
        {problem !== undefined && texts.transcribe.microphone[problem]}
      </p>
    </>
  )
}

/** Shows the recorded time and the current level. */
function Level({ recording }: { readonly recording: Recording }) {
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
      <meter ref={meter} min={0} max={1} aria-label={texts.transcribe.level} />
    </>
  )
}
