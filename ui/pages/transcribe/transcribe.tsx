/** Transcribe: a file or the microphone becomes text, with its speakers on a timeline. */
import { useState } from 'preact/hooks'
import type { Progress } from '../../../src/wire/pages/progress.ts'
import { offlineSinceMs } from '../../api/connection.ts'
import { announce } from '../../parts/announce.tsx'
import { CodeDrawer } from '../../parts/code-drawer.tsx'
import { Page } from '../../parts/page.tsx'
import { CallFailure } from '../../parts/play/call-failure.tsx'
import { PickedModel } from '../../parts/play/picked-model.tsx'
import type { PlayModel } from '../../parts/play/play-models.ts'
import { RawDrawer } from '../../parts/play/raw-drawer.tsx'
import { texts } from '../../texts/texts.ts'
import { canLabel, fieldsOf, isTranslation, OptionFields, type Options } from './option-fields.tsx'
import { progressShown, type Upload } from './progress.ts'
import { SourceField } from './source-field.tsx'
import { TranscriptResult } from './transcript-result.tsx'
import { useTranscription } from './use-transcription.ts'

export default function Transcribe() {
  return (
    <Page title={texts.transcribe.title} intro={texts.transcribe.intro}>
      <PickedModel types={['stt']}>{(model, models) => <TranscribeBy model={model} models={models} />}</PickedModel>
    </Page>
  )
}

interface TranscribeByProps {
  readonly model: PlayModel
  readonly models: readonly PlayModel[]
}

function TranscribeBy({ model, models }: TranscribeByProps) {
  const [file, setFile] = useState<File>()
  const [options, setOptions] = useState<Options>({
    ...{ language: '', translates: false, hasSpeakers: true },
    ...{ minimum: '', maximum: '' },
  })
  const { call, upload, progress, start } = useTranscription()
  const fields = fieldsOf(model, options)
  const path = isTranslation(model, options) ? '/audio/translations' : '/audio/transcriptions'
  const choose = (chosen: File | undefined) => {
    call.forgetFailure()
    setFile(chosen)
  }
  const send = () => (file === undefined ? undefined : start(file, path, fields))
  const cancel = () => {
    call.stop()
    announce(texts.transcribe.cancelled)
  }
  return (
    <div class="stack">
      <form
        class="play-form"
        onInput={call.forgetFailure}
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <SourceField file={file} isDisabled={call.isRunning} onChange={choose} />
        <OptionFields
          model={model}
          labelling={models.filter(canLabel).map(({ id }) => id)}
          options={options}
          onChange={setOptions}
        />
        <div class="actions">
          {/* Of one element, the press that cancels would be one that starts again. */}
          {call.isRunning ? (
            <button key="cancel" type="button" onClick={cancel}>
              {texts.transcribe.cancel}
            </button>
          ) : (
            <button
              key="start"
              type="submit"
              class="primary"
              disabled={file === undefined || offlineSinceMs.value !== undefined}
            >
              {texts.transcribe.start}
            </button>
          )}
        </div>
      </form>
      {call.isRunning && <ProgressLine upload={upload} progress={progress} />}
      {call.failure !== undefined && <CallFailure failure={call.failure} />}
      {call.result !== undefined && !call.isRunning && (
        <TranscriptResult key={call.result.requestId} transcribed={call.result} />
      )}
      <CodeDrawer
        call={{
          path,
          body: { ...fields },
          file: { field: 'file', name: file?.name ?? 'recording.mp3' },
        }}
      />
      {call.result !== undefined && (
        <RawDrawer request={{ ...call.result.fields, file: call.result.file.name }} response={call.result.answer} />
      )}
    </div>
  )
}

interface ProgressLineProps {
  readonly upload: Upload
  readonly progress: Progress | undefined
}

/** Shows the progress as bar and words: the upload, then the server's work. */
function ProgressLine({ upload, progress }: ProgressLineProps) {
  const { text, share } = progressShown(upload, progress)
  return (
    <div class="progress-line">
      <progress aria-label={text} {...(share !== undefined && { value: share, max: 1 })} />
      <p class="number">{share === undefined ? text : `${text} · ${Math.floor(share * 100)} %`}</p>
    </div>
  )
}
