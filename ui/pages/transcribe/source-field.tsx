import { useId, useState } from 'preact/hooks'
import { status } from '../../api/session.ts'
import { bytesText } from '../../parts/bytes-text.ts'
import { Icon } from '../../parts/icon.tsx'
import { texts } from '../../texts/texts.ts'
import { megabytes } from './progress.ts'
import { RecordButton } from './record-button.tsx'

interface SourceFieldProps {
  readonly file: File | undefined
  readonly isDisabled: boolean
  readonly onChange: (file: File | undefined) => void
}

/** Takes the recording from a chosen or dropped file or the microphone. Refuses files over the size limit. */
export function SourceField({ file, isDisabled, onChange }: SourceFieldProps) {
  const [problem, setProblem] = useState<string>()
  const [isOver, setIsOver] = useState(false)
  const id = useId()
  const limitBytes = status.value?.limits?.audio_bytes ?? 100 * 1024 * 1024

  const take = (chosen: File | undefined) => {
    if (chosen === undefined) return
    const wrong = problemOf(chosen, limitBytes)
    setProblem(wrong)
    onChange(wrong === undefined ? chosen : undefined)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is another way to do what the field inside does.
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsOver(false)
        if (!isDisabled) take(event.dataTransfer?.files[0])
      }}
    >
      <p>
        <b>{texts.transcribe.drop}</b>
      </p>
      <div class="row">
        <label class="button file-button">
          <Icon name="upload" /> {texts.transcribe.choose}
          <input
            type="file"
            accept="audio/*,video/*"
            // With `capture`, phones offer their recorder. Over http the microphone is unavailable otherwise.
            capture={globalThis.isSecureContext ? undefined : 'user'}
            disabled={isDisabled}
            aria-describedby={`${id}-hint`}
            onChange={({ currentTarget }) => {
              take(currentTarget.files?.[0])
              currentTarget.value = ''
            }}
          />
        </label>
        <RecordButton isDisabled={isDisabled} onRecorded={take} />
      </div>
      <p id={`${id}-hint`} class="hint">
        {texts.transcribe.limit(megabytes(limitBytes))}
      </p>
      {file !== undefined && (
        <p class="chosen">
          <Icon name="audio-lines" /> <b>{texts.transcribe.chosen(file.name, bytesText(file.size))}</b>
        </p>
      )}
      {problem !== undefined && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

function problemOf({ name, size }: File, limitBytes: number): string | undefined {
  if (size === 0) return texts.transcribe.empty(name)
  return size > limitBytes ? texts.transcribe.tooLarge(name, megabytes(size), megabytes(limitBytes)) : undefined
}
