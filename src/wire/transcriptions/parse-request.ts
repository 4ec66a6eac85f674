import { type Static, Type } from '@sinclair/typebox'
import { languageCode } from '../../core/language-code.ts'
import { oneOf } from '../../core/schemas.ts'
import type { TranscribeRequest } from '../../core/speech.ts'
import { check, invalidValue, modelField, optionalFlag, optionalInteger, presentFields } from '../check.ts'
import type { WorkCall } from '../dialect.ts'
import { isEmptyList, refuseUnsupported, type UnsupportedFields } from '../unsupported.ts'
import { chunkingStrategy, detectionRules } from './detection-rules.ts'

const plainFormats = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const
const transcriptFormats = [...plainFormats, 'diarized_json'] as const

export type TranscriptFormat = (typeof transcriptFormats)[number]

/** Formats that can be streamed. Answers in other formats are whole even with `stream`, as with OpenAI. */
const streamedFormats: readonly TranscriptFormat[] = ['json', 'text']

/** Fields that switch speaker labels on */
const speakerFlags = { diarize: optionalFlag, diarization: optionalFlag, speaker_labels: optionalFlag }

/** Most keywords of a request, and the most characters of one. */
const keywordsLimit = 100
const keywordCharacters = 100
const keywordWords = `a word or phrase of at most ${keywordCharacters} characters`

const prompt = Type.Optional(
  Type.String({ description: "a string, of which models with the capability 'prompt' make use" }),
)

export const TranscriptionsBody = Type.Object({
  ...modelField,
  language: Type.Optional(Type.String({ description: 'an ISO 639-1 code; left out, it is detected' })),
  languages: Type.Optional(Type.Array(Type.String(), { maxItems: 1, description: 'a list of at most one language' })),
  prompt,
  keywords: Type.Optional(
    Type.Array(Type.String({ maxLength: keywordCharacters, description: keywordWords }), {
      maxItems: keywordsLimit,
      description: `a list of at most ${keywordsLimit} entries, each ${keywordWords}`,
    }),
  ),
  response_format: Type.Optional(oneOf(transcriptFormats, "'")),
  timestamp_granularities: Type.Optional(Type.Array(oneOf(['word', 'segment'], "'"))),
  include: Type.Optional(Type.Array(oneOf(['logprobs'], "'"))),
  chunking_strategy: Type.Optional(chunkingStrategy),
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
  /** Lists in an answer of `verbose_json`: segments, words, or both. Subtitles with words alone have a cue for each. */
  readonly hasSegments: boolean
  readonly hasWords: boolean
}

const words = ': speakers are told apart by their voices in this recording alone. Leave it out.'

/** Fields of other services that request names as labels */
const unsupported: UnsupportedFields = {
  known_speaker_names: { words, isHarmless: isEmptyList },
  known_speaker_references: { words, isHarmless: isEmptyList },
}

const subtitleFormats: readonly TranscriptFormat[] = ['srt', 'vtt']
/** Formats whose answers have log probabilities. Proxies replace `json` by `verbose_json`. */
const scoredFormats: readonly TranscriptFormat[] = ['json', 'verbose_json']

/** Translates the fields of a form. Throws ApiError 400 that names the wrong field. */
export function parseTranscription(body: unknown): TranscriptionCall {
  const present = presentFields(body)
  const fields = check(TranscriptionsBody, present)
  refuseUnsupported(present, unsupported)
  const { prompt, keywords, response_format: format = 'json', timestamp_granularities: granularities = [] } = fields
  const speakers = parseSpeakers(fields)
  const hasSegments = granularities.length === 0 || granularities.includes('segment')
  const hasWords = granularities.includes('word')
  const showsWords = format === 'verbose_json' ? hasWords : subtitleFormats.includes(format) && !hasSegments
  const stream = fields.stream === true && (streamedFormats.includes(format) || format === 'diarized_json')
  if (stream && speakers !== undefined) {
    const asked = format === 'diarized_json' ? "'response_format' is 'diarized_json'" : "'diarize' is true"
    throw invalidValue('stream', `false where ${asked}: the speakers are known at the end`)
  }
  const wantsTokens = fields.include?.includes('logprobs') === true
  if (wantsTokens && (speakers !== undefined || !scoredFormats.includes(format)))
    throw invalidValue('include', "left out unless 'response_format' is 'json' without labels of speakers")
  return {
    request: {
      language: languageOf(fields),
      prompt,
      keywords,
      detection: detectionRules(fields.chunking_strategy),
      wantsWords: speakers !== undefined || showsWords,
      wantsTokens,
      speakers,
    },
    stream,
    format,
    hasSegments,
    hasWords,
  }
}

export const TranslationsBody = Type.Object({
  ...modelField,
  prompt,
  response_format: Type.Optional(oneOf(plainFormats, "'")),
})

/** Translates the fields of a form that asks for English. Throws ApiError 400 that names the wrong field. */
export function parseTranslation(body: unknown): TranscriptionCall {
  const { prompt, response_format: format = 'json' } = check(TranslationsBody, presentFields(body))
  const request = { prompt, translates: true, wantsWords: false }
  return { request, stream: false, format, hasSegments: true, hasWords: false }
}

/** Returns the language of either field; undefined if it is to be detected. Throws ApiError 400 if they differ. */
function languageOf({ language, languages: [listed] = [] }: Fields): string | undefined {
  const languages = [
    ...(language === undefined ? [] : [parseLanguage(language)]),
    ...(listed === undefined ? [] : [parseLanguage(listed, 'languages[0]')]),
  ]
  if (new Set(languages).size > 1) throw invalidValue('languages', "left out, or the same as 'language'")
  return languages[0]
}

/** Returns the hints about speakers; undefined if no labels are requested. */
function parseSpeakers(fields: Fields): TranscribeRequest['speakers'] {
  const flag = Object.keys(speakerFlags).find((name) => fields[name as keyof typeof speakerFlags])
  if (flag === undefined && fields.response_format !== 'diarized_json') return undefined
  const { min_speakers: minimumSpeakers, max_speakers: maximumSpeakers } = fields
  if (minimumSpeakers !== undefined && maximumSpeakers !== undefined && minimumSpeakers > maximumSpeakers) {
    throw invalidValue('min_speakers', "at most 'max_speakers'")
  }
  return { minimumSpeakers, maximumSpeakers, param: flag ?? 'response_format' }
}

/**
 * Returns the language's code, ISO 639-1 if it has one, from a code with or without a region or an English name.
 * Undefined if it is to be detected. Throws ApiError 400.
 */
export function parseLanguage(language: string, param = 'language'): string | undefined {
  if (language.trim().toLowerCase() === 'auto') return undefined
  const code = languageCode(language)
  if (code === undefined) throw invalidValue(param, "an ISO 639-1 code such as 'en', or left out to be detected")
  return code
}
