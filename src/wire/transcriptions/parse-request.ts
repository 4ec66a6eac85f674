import { type Static, Type } from '@sinclair/typebox'
import { languageCode } from '../../core/language-code.ts'
import { oneOf } from '../../core/schemas.ts'
import type { SpeakerHint, TranscribeRequest } from '../../core/speech.ts'
import { check, invalidValue, modelField, optionalFlag, optionalInteger, presentFields } from '../check.ts'
import type { WorkCall } from '../dialect.ts'
import { isEmptyList, refuseUnsupported, type UnsupportedFields } from '../unsupported.ts'

const transcriptFormats = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const

export type TranscriptFormat = (typeof transcriptFormats)[number]

/** Formats that can be streamed. Answers in other formats are whole even with `stream`, as with OpenAI. */
const streamedFormats: readonly TranscriptFormat[] = ['json', 'text']

/** Fields that switch speaker labels on */
const speakerFlags = { diarize: optionalFlag, diarization: optionalFlag, speaker_labels: optionalFlag }

const formats = oneOf(transcriptFormats, "'")

export const TranscriptionsBody = Type.Object({
  ...modelField,
  language: Type.Optional(Type.String({ description: 'an ISO 639-1 code; left out, it is detected' })),
  prompt: Type.Optional(Type.String({ description: 'a string; no model that transcribes makes use of it' })),
  response_format: Type.Optional(formats),
  timestamp_granularities: Type.Optional(Type.Array(oneOf(['word', 'segment'], "'"))),
  stream: optionalFlag,
  ...speakerFlags,
  min_speakers: optionalInteger(1),
  max_speakers: optionalInteger(1),
  known_speaker_names: Type.Optional(Type.Array(Type.String())),
  known_speaker_references: Type.Optional(Type.Array(Type.String())),
})

type Fields = Static<typeof TranscriptionsBody>

export interface TranscriptionCall extends WorkCall {
  readonly request: Omit<TranscribeRequest, 'audio'>
  readonly stream: boolean
  readonly format: TranscriptFormat
  /** Lists in an answer of `verbose_json`: segments, words, or both. */
  readonly hasSegments: boolean
  readonly hasWords: boolean
}

const words = ': speakers are told apart by their voices in this recording alone. Leave it out.'

/** Fields of other services that request names as labels */
const unsupported: UnsupportedFields = {
  known_speaker_names: { words, isHarmless: isEmptyList },
  known_speaker_references: { words, isHarmless: isEmptyList },
}

/** Translates the fields of a form. Throws ApiError 400 that names the wrong field. */
export function parseTranscription(body: unknown): TranscriptionCall {
  const present = presentFields(body)
  refuseVendorFormat(present.response_format)
  const fields = check(TranscriptionsBody, present)
  refuseUnsupported(present, unsupported)
  const { language, prompt, response_format: format = 'json', timestamp_granularities: granularities = [] } = fields
  const speakers = parseSpeakers(fields)
  const stream = fields.stream === true && streamedFormats.includes(format)
  if (stream && speakers !== undefined)
    throw invalidValue('stream', "false where 'diarize' is true: the speakers are known at the end")
  const hasWords = granularities.includes('word')
  return {
    request: {
      language: language === undefined ? undefined : parseLanguage(language),
      prompt,
      wantsWords: speakers !== undefined || (format === 'verbose_json' && hasWords),
      speakers,
    },
    stream,
    format,
    hasSegments: granularities.length === 0 || granularities.includes('segment'),
    hasWords,
  }
}

/** Refuses the format in which another service labels speakers. */
function refuseVendorFormat(format: unknown): void {
  if (format !== 'diarized_json') return
  throw invalidValue('response_format', `${formats.description}; with 'diarize' true the speakers come in each of them`)
}

/** Returns the hints about speakers; undefined if no labels are requested. */
function parseSpeakers(fields: Fields): SpeakerHint | undefined {
  if (!Object.keys(speakerFlags).some((name) => fields[name as keyof typeof speakerFlags])) return undefined
  const { min_speakers: minimumSpeakers, max_speakers: maximumSpeakers } = fields
  if (minimumSpeakers !== undefined && maximumSpeakers !== undefined && minimumSpeakers > maximumSpeakers) {
    throw invalidValue('min_speakers', "at most 'max_speakers'")
  }
  return { minimumSpeakers, maximumSpeakers }
}

/**
 * Returns the language's code, ISO 639-1 if it has one, from a code with or without a region or an English name.
 * Undefined if it is to be detected. Throws ApiError 400.
 */
export function parseLanguage(language: string): string | undefined {
  if (language.trim().toLowerCase() === 'auto') return undefined
  const code = languageCode(language)
  if (code === undefined) throw invalidValue('language', "an ISO 639-1 code such as 'en', or left out to be detected")
  return code
}
