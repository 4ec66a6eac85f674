import { spaceBetween } from '../../core/spaceless.ts'
import type { WorkEvent } from '../../core/work.ts'
import { dataEncoder } from '../data-encoder.ts'
import type { AnswerCollector, AnswerContext, AnswerEncoder, WorkDialect } from '../dialect.ts'
import { jsonPieces } from '../json-pieces.ts'
import { dataFrame, keepAliveFrame } from '../sse-frame.ts'
import {
  parseTranscription,
  parseTranslation,
  type TranscriptFormat,
  type TranscriptionCall,
  TranscriptionsBody,
  TranslationsBody,
} from './parse-request.ts'
import { speakerLabel, type TimedWord, timedWords, toSpeakerSegments } from './speaker-segments.ts'
import { cuesOf, toSrt, toVtt } from './subtitles.ts'
import { toDiarizedJson, toJson, toSpeakerJson, toVerboseJson } from './to-json.ts'
import { logprobsOf } from './token-scores.ts'
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
  encoder: transcriptEncoder,
}

/** POST /audio/translations: transcriptions in English. */
export const translationsDialect: WorkDialect<TranscriptionCall, TranscriptionEvent> = {
  endpoint: 'audio/translations',
  kind: 'transcribe',
  body: TranslationsBody,
  file: 'file',
  parse: parseTranslation,
  answers: ['application/json', 'text/plain', 'text/vtt'],
  collector: transcriptCollector,
}

/** A transcript with the speakers of its words. */
interface Heard {
  readonly transcript: Transcript
  readonly words: readonly TimedWord[]
  readonly speakerCount: number
  /** True if speakers are labelled. */
  readonly hasLabels: boolean
}

interface Form {
  readonly contentType: string
  readonly write: (heard: Heard, call: TranscriptionCall) => Iterable<string>
}

const jsonType = 'application/json;charset=utf-8'
const textType = 'text/plain; charset=utf-8'

const forms: Readonly<Record<TranscriptFormat, Form>> = {
  json: {
    contentType: jsonType,
    write: (heard, call) => jsonPieces(toLabelledJson(heard, call) ?? toJson(heard.transcript, call)),
  },
  verbose_json: {
    contentType: jsonType,
    write: (heard, call) =>
      jsonPieces(toLabelledJson(heard, call) ?? toVerboseJson(heard.transcript, heard.words, call)),
  },
  diarized_json: {
    contentType: jsonType,
    write: ({ transcript, words }) => jsonPieces(toDiarizedJson(transcript, words)),
  },
  text: { contentType: textType, write: toText },
  srt: { contentType: textType, write: ({ words, hasLabels }, call) => toSrt(cuesOf(words, call), hasLabels) },
  vtt: {
    contentType: 'text/vtt; charset=utf-8',
    write: ({ words, hasLabels }, call) => toVtt(cuesOf(words, call), hasLabels),
  },
}

function transcriptCollector(call: TranscriptionCall): AnswerCollector<TranscriptionEvent> {
  const transcript = new Transcript(call.request.language)
  const { contentType, write } = forms[call.format]
  let speakerCount = 0
  return {
    push: (event) => transcript.push(event),
    *end() {
      const words: TimedWord[] = []
      for (const word of timedWords(transcript)) {
        words.push(word)
        speakerCount = Math.max(speakerCount, word.speaker + 1)
        yield '' // other requests may run between two words
      }
      yield* write({ transcript, words, speakerCount, hasLabels: transcript.turns !== undefined }, call)
    },
    head: () => ({
      contentType,
      ...(transcript.turns && { headers: { 'x-diarized': `${speakerCount} speakers` } }),
    }),
  }
}

/** Returns the encoder of an event per transcribed segment and one with the whole text, the same for text and JSON. */
function transcriptEncoder({ request }: TranscriptionCall, context: AnswerContext): AnswerEncoder<TranscriptionEvent> {
  const transcript = new Transcript()
  return dataEncoder(context, (event: TranscriptionEvent) => {
    const before = transcript.segments.at(-1)?.text ?? ''
    transcript.push(event)
    switch (event.type) {
      case 'start':
        return [keepAliveFrame]
      case 'segment':
        return [
          dataFrame({
            type: 'transcript.text.delta',
            delta: spaceBetween(before, event.text) + event.text,
            ...(request.wantsTokens && { logprobs: [...logprobsOf(event.tokens)] }),
          }),
        ]
      case 'finish': {
        const { text, tokens, usage } = transcript
        const scores = request.wantsTokens && { logprobs: [...logprobsOf(tokens)] }
        return [dataFrame({ type: 'transcript.text.done', text, ...scores, usage })]
      }
      default:
        return []
    }
  })
}

/** Returns the form of `json` and `verbose_json` with speakers; undefined without. */
function toLabelledJson(
  { transcript, words, speakerCount, hasLabels }: Heard,
  call: TranscriptionCall,
): object | undefined {
  return hasLabels ? toSpeakerJson(transcript, words, speakerCount, call) : undefined
}

/** Yields one line, or one per uninterrupted speech of a speaker. */
function* toText({ transcript, words, hasLabels }: Heard): Generator<string> {
  if (!hasLabels) yield `${transcript.text}\n`
  else for (const { speaker, text } of toSpeakerSegments(words)) yield `${speakerLabel(speaker)}: ${text}\n`
}
