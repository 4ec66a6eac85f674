import { describe, expect, test } from 'bun:test'
import { ApiError } from '../../core/errors.ts'
import { type FormField, toFormBody } from '../form-body.ts'
import { parseLanguage, parseTranscription, TranscriptionsBody } from './parse-request.ts'

function parse(...fields: FormField[]) {
  return parseTranscription(toFormBody(TranscriptionsBody, [['model', 'm'], ...fields]))
}

/** Returns `code param: message` of the refusal. */
function refusal(...fields: FormField[]): string {
  try {
    parse(...fields)
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.param}: ${error.message}`
    throw error
  }
  return 'taken'
}

test('a model alone asks for JSON with the text', () => {
  expect(parse()).toEqual({
    request: {
      language: undefined,
      prompt: undefined,
      keywords: undefined,
      detection: undefined,
      wantsWords: false,
      wantsTokens: false,
      speakers: undefined,
    },
    stream: false,
    format: 'json',
    hasSegments: true,
    hasWords: false,
  })
})

test('every field as the stock client sends it', () => {
  const call = parse(
    ['language', 'de'],
    ['prompt', 'Müller, Schmidt'],
    ['response_format', 'verbose_json'],
    ['temperature', '0.2'],
    ['stream', 'false'],
    ['timestamp_granularities[]', 'word'],
    ['timestamp_granularities[]', 'segment'],
    ['include[]', 'logprobs'],
    ['chunking_strategy[type]', 'server_vad'],
    ['chunking_strategy[threshold]', '0.5'],
    ['chunking_strategy[silence_duration_ms]', '300'],
    ['chunking_strategy[prefix_padding_ms]', '0'],
    ['languages[]', 'de'],
    ['keywords[]', 'Müller'],
  )
  expect(call).toEqual({
    request: {
      language: 'de',
      prompt: 'Müller, Schmidt',
      keywords: ['Müller'],
      detection: { threshold: 0.5, silenceSeconds: 0.3, paddingSeconds: 0 },
      wantsWords: true,
      wantsTokens: true,
      speakers: undefined,
    },
    stream: false,
    format: 'verbose_json',
    hasSegments: true,
    hasWords: true,
  })
})

test.each(['verbose_json', 'srt', 'vtt'])('%s is answered whole, whatever is said of a stream', (format) => {
  const [asked, plain] = ['true', 'false'].map((stream) => parse(['response_format', format], ['stream', stream]))
  expect(asked).toMatchObject({ ...plain })
  expect(parse(['response_format', format], ['stream', 'true'], ['diarize', 'true'])).toMatchObject({ stream: false })
})

const verbose: FormField = ['response_format', 'verbose_json']

test.each<[string, FormField[]]>([
  [
    'repeated',
    [
      ['timestamp_granularities', 'segment'],
      ['timestamp_granularities', 'word'],
    ],
  ],
  [
    'repeated with brackets',
    [
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
    ],
  ],
  [
    'numbered',
    [
      ['timestamp_granularities[0]', 'word'],
      ['timestamp_granularities[1]', 'segment'],
    ],
  ],
  ['between commas', [['timestamp_granularities[]', 'word, segment']]],
  ['a JSON array', [['timestamp_granularities', '["word","segment"]']]],
])('granularities may be %s', (_, fields) => {
  expect(parse(verbose, ...fields)).toMatchObject({ hasSegments: true, hasWords: true })
})

test('edge case 70: without granularities there are segments; with words alone there are none', () => {
  expect(parse(verbose)).toMatchObject({ hasSegments: true, hasWords: false, request: { wantsWords: false } })
  const words = parse(verbose, ['timestamp_granularities[]', 'word'])
  expect(words).toMatchObject({ hasSegments: false, hasWords: true, request: { wantsWords: true } })
  // Granularities have no effect on other formats.
  expect(parse(['timestamp_granularities[]', 'word']).request.wantsWords).toBe(false)
})

describe('speakers', () => {
  test.each(['diarize', 'diarization', 'speaker_labels'])('edge case 73: are asked for by %s', (name) => {
    for (const value of ['true', 'True', '1', 'on', 'yes']) {
      expect(parse([name, value]).request).toMatchObject({ speakers: {}, wantsWords: true })
    }
    for (const value of ['false', '0', 'off', 'no', '']) expect(parse([name, value]).request.speakers).toBeUndefined()
    expect(refusal([name, 'perhaps'])).toBe(`invalid_value ${name}: '${name}' must be true or false.`)
  })

  test('may be hinted at, which says nothing without them', () => {
    const hints: FormField[] = [
      ['min_speakers', '2'],
      ['max_speakers', '4'],
    ]
    expect(parse(['diarize', 'true'], ...hints).request.speakers).toEqual({
      minimumSpeakers: 2,
      maximumSpeakers: 4,
      param: 'diarize',
    })
    const exact: FormField[] = [
      ['min_speakers', '3'],
      ['max_speakers', '3'],
    ]
    expect(parse(['diarize', 'true'], ...exact).request.speakers).toEqual({
      minimumSpeakers: 3,
      maximumSpeakers: 3,
      param: 'diarize',
    })
    expect(parse(...hints).request.speakers).toBeUndefined()
    expect(parse(['min_speakers', '4'], ['max_speakers', '2']).request.speakers).toBeUndefined()
  })
})

test.each<[string, FormField[], string]>([
  [
    'another format',
    [['response_format', 'xml']],
    "invalid_value response_format: 'response_format' must be one of 'json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json'.",
  ],
  [
    'another granularity',
    [['timestamp_granularities[]', 'letter']],
    "invalid_value timestamp_granularities[0]: 'timestamp_granularities[0]' must be one of 'word', 'segment'.",
  ],
  ['no speaker', [['max_speakers', '0']], 'invalid_value max_speakers'],
  ['half a speaker', [['max_speakers', '1.5']], 'invalid_value max_speakers'],
  [
    'more speakers than there may be',
    [
      ['diarize', 'true'],
      ['min_speakers', '3'],
      ['max_speakers', '2'],
    ],
    "invalid_value min_speakers: 'min_speakers' must be at most 'max_speakers'.",
  ],
  [
    'a stream of speakers',
    [
      ['diarize', 'true'],
      ['stream', 'true'],
    ],
    'invalid_value stream',
  ],
  [
    'a stream of diarized_json',
    [
      ['response_format', 'diarized_json'],
      ['stream', 'true'],
    ],
    "invalid_value stream: 'stream' must be false where 'response_format' is 'diarized_json'",
  ],
  [
    'log probabilities in a text',
    [
      ['include[]', 'logprobs'],
      ['response_format', 'text'],
    ],
    'invalid_value include',
  ],
  [
    'log probabilities of speakers',
    [
      ['include[]', 'logprobs'],
      ['diarize', 'true'],
    ],
    'invalid_value include',
  ],
  ['something else included', [['include[]', 'usage']], "invalid_value include[0]: 'include[0]' must be one of"],
  [
    'another strategy',
    [['chunking_strategy', 'manual']],
    "invalid_value chunking_strategy: 'chunking_strategy' must be",
  ],
  ['half a strategy', [['chunking_strategy[threshold]', '0.5']], 'invalid_value chunking_strategy'],
  [
    'a loud threshold',
    [['chunking_strategy', '{"type":"server_vad","threshold":2}']],
    'invalid_value chunking_strategy',
  ],
  [
    'two strategies',
    [
      ['chunking_strategy', 'auto'],
      ['chunking_strategy[type]', 'server_vad'],
    ],
    "invalid_value chunking_strategy: 'chunking_strategy' must be given once.",
  ],
  [
    'two languages',
    [
      ['languages[]', 'de'],
      ['languages[]', 'en'],
    ],
    "invalid_value languages: 'languages' must be a list of at most one language.",
  ],
  [
    'languages that differ',
    [
      ['language', 'de'],
      ['languages[]', 'en'],
    ],
    'invalid_value languages',
  ],
  ['101 keywords', [['keywords', Array(101).fill('a').join()]], "invalid_value keywords: 'keywords' must be a list of"],
  [
    'a long keyword',
    [['keywords[]', 'a'.repeat(101)]],
    "invalid_value keywords[0]: 'keywords[0]' must be a word or phrase of at most 100 characters.",
  ],
  ['a language of languages that is none', [['languages[]', '??']], 'invalid_value languages[0]'],
  ['names of speakers', [['known_speaker_names[]', 'Ann']], 'unsupported_parameter known_speaker_names'],
  [
    'voices of speakers',
    [['known_speaker_references[]', 'data:audio/wav;base64,AA']],
    'unsupported_parameter known_speaker_references',
  ],
  ['two models', [['model', 'n']], "invalid_value model: 'model' must be given once."],
  ['a language that is none', [['language', 'klingonish']], 'invalid_value language'],
])('%s is refused', (_, fields, expected) => {
  expect(refusal(...fields)).toContain(expected)
})

test.each<[what: string, fields: FormField[], detection: unknown]>([
  ['auto', [['chunking_strategy', 'auto']], undefined],
  [
    'a type alone',
    [['chunking_strategy[type]', 'server_vad']],
    { threshold: undefined, silenceSeconds: undefined, paddingSeconds: undefined },
  ],
  [
    'JSON',
    [['chunking_strategy', '{"type":"server_vad","silence_duration_ms":700}']],
    { threshold: undefined, silenceSeconds: 0.7, paddingSeconds: undefined },
  ],
])('a chunking strategy may be %s', (_, fields, detection) => {
  expect(parse(...fields).request.detection).toEqual(detection as undefined)
})

test('diarized_json asks for speakers without another field', () => {
  expect(parse(['response_format', 'diarized_json'], ['max_speakers', '3'])).toMatchObject({
    format: 'diarized_json',
    stream: false,
    request: { speakers: { maximumSpeakers: 3 }, wantsWords: true },
  })
})

test('an entry of languages is the language', () => {
  expect(parse(['languages[]', 'German']).request.language).toBe('de')
  expect(parse(['language', 'de'], ['languages[]', 'de-AT']).request.language).toBe('de')
})

test('words alone are cues of their own in subtitles', () => {
  const call = parse(['response_format', 'srt'], ['timestamp_granularities[]', 'word'])
  expect(call).toMatchObject({ hasSegments: false, hasWords: true, request: { wantsWords: true } })
})

test('beside segments, words are no cues, and need no times', () => {
  const granularities = ['word', 'segment'].map((each): FormField => ['timestamp_granularities[]', each])
  const call = parse(['response_format', 'vtt'], ...granularities)
  expect(call).toMatchObject({ hasSegments: true, request: { wantsWords: false } })
})

test.each<[field: FormField, param: string]>([
  [['response_format', 'diarized_json'], 'response_format'],
  [['diarize', 'true'], 'diarize'],
  [['speaker_labels', 'true'], 'speaker_labels'],
])('refusals of speakers name the field that asks for them: %p', (field, param) => {
  expect(parse(field).request.speakers?.param).toBe(param)
})

test.each([
  ['en', 'en'],
  ['EN', 'en'],
  ['en-US', 'en'],
  ['zh_TW', 'zh'],
  ['eng', 'en'],
  ['yue', 'yue'],
  ['english', 'en'],
  ['German', 'de'],
  ['mandarin', 'zh'],
  ['norwegian nynorsk', 'nn'],
  ['auto', undefined],
])('the language %p is %p', (language, code) => {
  expect(parseLanguage(language)).toBe(code)
})

test.each(['', 'x', 'zzz', 'en us', '12', 'e', '../en', 'und-'])('%p is no language', (language) => {
  expect(() => parseLanguage(language)).toThrow("'language' must be an ISO 639-1 code")
})
