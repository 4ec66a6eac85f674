import type { WorkEvent } from '../../core/work.ts'
import type { AnswerCollector, AnswerHead, WorkDialect } from '../dialect.ts'
import {
  parseTranscription,
  type TranscriptFormat,
  type TranscriptionCall,
  TranscriptionsBody,
} from './parse-request.ts'
import { speakerLabel, timedWords, toSpeakerSegments } from './speaker-segments.ts'
import { TranscriptionEncoder } from './stream-encoder.ts'
import { toSrt, toVtt } from './subtitles.ts'
import { speakersOf, toJson, toSpeakerJson, toVerboseJson } from './to-json.ts'
import { Transcript } from './transcript.ts'

type TranscriptionEvent = WorkEvent<'transcribe'>

/** POST /audio/transcriptions. */
export const transcriptionsDialect: WorkDialect<TranscriptionCall, TranscriptionEvent> = {
  endpoint: 'audio/transcriptions',
  kind: 'transcribe',
  body: TranscriptionsBody,
  file: 'file',
  parse: parseTranscription,
  answers: ['application/json', 'text/plain', 'text/vtt', 'text/event-stream'],
  collector: transcriptCollector,
  encoder: (_, context) => new TranscriptionEncoder(context),
}

interface Form {
  readonly contentType: string
  readonly write: (transcript: Transcript, call: TranscriptionCall) => object | Iterable<string>
}

const jsonType = 'application/json;charset=utf-8'
const textType = 'text/plain; charset=utf-8'

const forms: Readonly<Record<TranscriptFormat, Form>> = {
  json: {
    contentType: jsonType,
    write: (transcript) => (transcript.turns ? toSpeakerJson(transcript) : toJson(transcript)),
  },
  verbose_json: {
    contentType: jsonType,
    write: (transcript, call) => (transcript.turns ? toSpeakerJson(transcript) : toVerboseJson(transcript, call)),
  },
  text: { contentType: textType, write: toText },
  srt: { contentType: textType, write: toSrt },
  vtt: { contentType: 'text/vtt; charset=utf-8', write: toVtt },
}

function transcriptCollector(call: TranscriptionCall): AnswerCollector<TranscriptionEvent> {
  const transcript = new Transcript(call.request.language)
  const { contentType, write } = forms[call.format]
  return {
    push: (event) => transcript.push(event),
    end: () => write(transcript, call),
    head: () => ({ contentType, ...(transcript.turns && { headers: speakerHeaders(transcript) }) }),
  }
}

function speakerHeaders(transcript: Transcript): AnswerHead['headers'] {
  return { 'x-diarized': `${speakersOf(timedWords(transcript)).length} speakers` }
}

/** One line, or one for each stretch in which one speaker speaks. */
function toText(transcript: Transcript): string[] {
  if (transcript.turns === undefined) return [`${transcript.text}\n`]
  return toSpeakerSegments(timedWords(transcript)).map(({ speaker, text }) => `${speakerLabel(speaker)}: ${text}\n`)
}
