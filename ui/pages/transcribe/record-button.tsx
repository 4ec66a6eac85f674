import { useEffect, useRef, useState } from 'preact/hooks'
import { LevelMeter } from '../../parts/audio/level-meter.tsx'
import { MicrophoneProblemText } from '../../parts/audio/microphone-problem.tsx'
import {
  hasMicrophones,
  type MicrophoneProblem,
  problemOf,
  type Recording,
  startRecording,
} from '../../parts/audio/recording.ts'
import { Icon } from '../../parts/icon.tsx'
import { texts } from '../../texts/texts.ts'

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
      setProblem(problemOf(error))
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
          <LevelMeter recording={recording} />
        </>
      )}
      <MicrophoneProblemText id="microphone-problem" problem={problem}>
        {(problem === 'insecure' || problem === 'none') && texts.transcribe.fileInstead}
      </MicrophoneProblemText>
    </>
  )
}
