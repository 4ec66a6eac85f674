import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { asFailure } from '../../../api/failure.ts'
import { refreshMe } from '../../../api/session.ts'
import { upload } from '../../../api/upload.ts'
import { alarm, tell } from '../../../parts/announce.tsx'
import { LevelMeter } from '../../../parts/audio/level-meter.tsx'
import { MicrophoneProblemText } from '../../../parts/audio/microphone-problem.tsx'
import { type MicrophoneProblem, problemOf, type Recording, startRecording } from '../../../parts/audio/recording.ts'
import { Icon } from '../../../parts/icon.tsx'
import { IconButton } from '../../../parts/icon-button.tsx'
import { texts } from '../../../texts/texts.ts'

interface DictationProps {
  /** Id of the transcription model */
  readonly model: string
  /** Field that gets what was said, at its caret */
  readonly field: RefObject<HTMLTextAreaElement | null>
  /** Called when the dictation is over, with or without a text. */
  readonly onEnd: () => void
}

type State =
  | { readonly kind: 'asking' | 'writing' }
  | { readonly kind: 'recording'; readonly recording: Recording }
  | { readonly kind: 'problem'; readonly problem: MicrophoneProblem }

/** Records the microphone as soon as it is shown, and has the recording written down. Escape cancels. */
export function Dictation({ model, field, onEnd }: DictationProps) {
  const [state, setState] = useState<State>({ kind: 'asking' })
  const running = useRef<Recording | undefined>(undefined)
  const leaving = useRef(new AbortController()).current

  useEffect(() => {
    startRecording().then(
      (recording) => {
        // The person may have cancelled while the browser asked for permission.
        if (leaving.signal.aborted) return recording.cancel()
        running.current = recording
        setState({ kind: 'recording', recording })
      },
      (error) => setState({ kind: 'problem', problem: problemOf(error) }),
    )
    return () => {
      leaving.abort()
      running.current?.cancel()
    }
  }, [leaving])

  const finish = async () => {
    const recording = running.current
    if (recording === undefined) return
    running.current = undefined
    setState({ kind: 'writing' })
    try {
      const text = await writtenDown(await recording.stop(), model, leaving.signal)
      if (text === '') alarm(texts.voice.noSpeech)
      else if (field.current !== null) insertAtCaret(field.current, text)
    } catch (error) {
      if (leaving.signal.aborted) return
      alarm(asFailure(error).message)
    }
    void refreshMe()
    onEnd()
  }

  return (
    <section
      class="dictation"
      aria-label={texts.voice.dictate}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onEnd()
      }}
    >
      <IconButton
        icon="x"
        label={state.kind === 'problem' ? texts.shared.close : texts.shared.cancel}
        onClick={onEnd}
      />
      {state.kind === 'asking' && <p role="status">{texts.voice.asking}</p>}
      {state.kind === 'writing' && (
        <p role="status" aria-busy="true">
          {texts.voice.writing}
        </p>
      )}
      {state.kind === 'problem' && <MicrophoneProblemText problem={state.problem} />}
      {state.kind === 'recording' && <Running recording={state.recording} onFinish={() => void finish()} />}
    </section>
  )
}

/** Shows the level and the button that ends the recording, which has the focus. */
function Running({ recording, onFinish }: { readonly recording: Recording; readonly onFinish: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => button.current?.focus(), [])
  return (
    <>
      <LevelMeter recording={recording} />
      <button ref={button} type="button" class="primary" onClick={onFinish}>
        <Icon name="check" /> {texts.shared.done}
      </button>
    </>
  )
}

interface Transcription {
  readonly text: string
}

async function writtenDown(file: File, model: string, signal: AbortSignal): Promise<string> {
  const form = new FormData()
  form.append('model', model)
  form.append('response_format', 'json')
  form.append('file', file)
  const path = '/dashboard/v1/audio/transcriptions'
  const { answer } = await upload<Transcription>(path, { form, signal, onSent: () => undefined })
  const text = answer.text.trim()
  tell(text)
  return text
}

/** Replaces the selection of a field, with a blank after a word before it. The browser's own undo takes it back. */
function insertAtCaret(field: HTMLTextAreaElement, text: string): void {
  const before = field.value.slice(0, field.selectionStart)
  const inserted = before === '' || /\s$/.test(before) ? text : ` ${text}`
  field.focus()
  if (document.execCommand('insertText', false, inserted)) return
  field.setRangeText(inserted, field.selectionStart, field.selectionEnd, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}
