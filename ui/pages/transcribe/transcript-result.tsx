import { useMemo, useState } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import { Empty } from '../../parts/loaded.tsx'
import { RequestFigures } from '../../parts/play/request-figures.tsx'
import { ResultTitle } from '../../parts/play/result-title.tsx'
import { saveText } from '../../parts/save-text.ts'
import { texts } from '../../texts/texts.ts'
import { type Exported, exports } from './exports.ts'
import { languageName } from './option-fields.tsx'
import { Player } from './player.tsx'
import { editedTurns, noEdits } from './speakers.ts'
import { Timeline } from './timeline.tsx'
import { toTranscript } from './transcript.ts'
import { TurnList } from './turn-list.tsx'
import { usePlayback } from './use-playback.ts'
import type { Transcribed } from './use-transcription.ts'

/** Shows a transcript with its recording: player, lanes of the speakers, text, export files, figures. */
export function TranscriptResult({ transcribed }: { readonly transcribed: Transcribed }) {
  const { file, answer, requestId } = transcribed
  const transcript = useMemo(() => toTranscript(answer), [answer])
  const [edits, setEdits] = useState(noEdits)
  const [marksUnsure, setMarksUnsure] = useState(true)
  const playback = usePlayback(file)
  const turns = useMemo(() => editedTurns(transcript.turns, edits), [transcript, edits.mergedInto])
  // A translation is English, and does not tell the language of the recording.
  const language = answer.task === 'translate' ? undefined : languageName(answer.language)
  const figures = (
    <RequestFigures
      requestId={requestId}
      own={language === undefined ? [] : [[texts.transcribe.detectedLanguage, language]]}
    />
  )
  if (turns.length === 0) {
    return (
      <section class="stack">
        <Empty text={texts.transcribe.noSpeech} />
        {figures}
      </section>
    )
  }
  return (
    <section class="stack">
      <ResultTitle>{texts.transcribe.result}</ResultTitle>
      <Player playback={playback} durationSeconds={transcript.durationSeconds} />
      {transcript.speakers.length > 0 && (
        <Timeline transcript={transcript} turns={turns} edits={edits} onEdit={setEdits} playback={playback} />
      )}
      <div class="row transcript-head">
        <ExportButtons exported={{ transcript, answer, edits }} name={file.name} />
        {transcript.hasScores && (
          <label class="check">
            <input
              type="checkbox"
              checked={marksUnsure}
              onChange={({ currentTarget }) => setMarksUnsure(currentTarget.checked)}
            />{' '}
            {texts.transcribe.markUnsure}
          </label>
        )}
      </div>
      <TurnList
        transcript={transcript}
        turns={turns}
        edits={edits}
        playback={playback}
        marksUnsure={transcript.hasScores && marksUnsure}
      />
      {figures}
    </section>
  )
}

type Format = keyof typeof exports

function ExportButtons({ exported, name }: { readonly exported: Exported; readonly name: string }) {
  const formats = Object.keys(texts.transcribe.exports) as Format[]
  return (
    // biome-ignore lint/a11y/useSemanticElements: these are no fields of a form.
    <div class="row" role="group" aria-label={texts.transcribe.export}>
      {formats.map((format) => (
        <button
          key={format}
          type="button"
          class="small"
          aria-label={texts.transcribe.exportAs(texts.transcribe.exports[format])}
          onClick={() => saveText(`${name.replace(/\.[^.]*$/, '')}.${format}`, exports[format](exported))}
        >
          <Icon name="download" /> {texts.transcribe.exports[format]}
        </button>
      ))}
    </div>
  )
}
