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
    request: { language: undefined, prompt: undefined, wantsWords: false, speakers: undefined },
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
    ['languages[]', 'de'],
    ['keywords[]', 'Müller'],
  )
  expect(call).toEqual({
    request: { language: 'de', prompt: 'Müller, Schmidt', wantsWords: true, speakers: undefined },
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
    expect(parse(['diarize', 'true'], ...hints).request.speakers).toEqual({ minimumSpeakers: 2, maximumSpeakers: 4 })
    const exact: FormField[] = [
      ['min_speakers', '3'],
      ['max_speakers', '3'],
    ]
    expect(parse(['diarize', 'true'], ...exact).request.speakers).toEqual({ minimumSpeakers: 3, maximumSpeakers: 3 })
    expect(parse(...hints).request.speakers).toBeUndefined()
    expect(parse(['min_speakers', '4'], ['max_speakers', '2']).request.speakers).toBeUndefined()
  })
})

test.each<[string, FormField[], string]>([
  [
    'another format',
    [['response_format', 'xml']],
    "invalid_value response_format: 'response_format' must be one of 'json', 'text', 'srt', 'vtt', 'verbose_json'.",
  ],
  ['the format of another service', [['response_format', 'diarized_json']], 'diarize'],
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
