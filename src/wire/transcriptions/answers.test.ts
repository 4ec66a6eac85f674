/** Events become each form of answer, and another program's reader of subtitles reads them back. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseText } from 'media-captions'
import type { SpeakerTurn, TranscriptSegment } from '../../core/speech.ts'
import { nothingConsumed } from '../../core/usage.ts'
import type { WorkEvent } from '../../core/work.ts'
import { answerContext } from '../../testing/answer-context.ts'
import type { AnswerCollector } from '../dialect.ts'
import { type FormField, toFormBody } from '../form-body.ts'
import { transcriptionsDialect, translationsDialect } from './dialect.ts'
import { withTimes } from './times.ts'
import { joinTexts } from './transcript.ts'

interface Heard {
  readonly segments: readonly Omit<TranscriptSegment, 'type'>[]
  readonly turns?: readonly SpeakerTurn[]
  readonly seconds?: number
  readonly language?: string
}

function eventsOf({ segments, turns, seconds = 60, language = 'en' }: Heard): WorkEvent<'transcribe'>[] {
  return [
    { type: 'start', promptTokens: 0, cachedTokens: 0 },
    ...segments.map((segment) => ({ type: 'segment', ...segment }) as const),
    { type: 'language', language },
    ...(turns === undefined ? [] : [{ type: 'turns', turns } as const]),
    { type: 'finish', usage: { ...nothingConsumed, audioMs: seconds * 1000 } },
  ]
}

function callOf(fields: readonly FormField[]) {
  return transcriptionsDialect.parse(toFormBody(transcriptionsDialect.body, [['model', 'm'], ...fields]))
}

function answer(heard: Heard, ...fields: FormField[]) {
  const collector = transcriptionsDialect.collector(callOf(fields), answerContext())
  for (const event of eventsOf(heard)) collector.push(event)
  const text = textOf(collector)
  const head = collector.head?.()
  return { body: head?.contentType.startsWith('application/json') ? JSON.parse(text) : text, head }
}

function textOf(collector: AnswerCollector<WorkEvent<'transcribe'>>): string {
  const whole = collector.end()
  if (!(Symbol.iterator in whole)) throw new Error('the answer does not come in pieces')
  return Array.from(whole).join('')
}

/** Returns a segment whose words are spread evenly. */
function said(text: string, startSeconds: number, endSeconds: number): Omit<TranscriptSegment, 'type'> {
  const spoken = text.split(' ')
  const seconds = (endSeconds - startSeconds) / spoken.length
  const words = spoken.map((word, index) => ({
    text: word,
    startSeconds: startSeconds + index * seconds,
    endSeconds: startSeconds + (index + 1) * seconds,
  }))
  return { text, startSeconds, endSeconds, words }
}

const hello: Heard = { segments: [said('Hello there.', 0.5, 1.5), said('How are you?', 2, 3.5)], seconds: 4.2 }

test('json is the text and what it is paid by', () => {
  expect(answer(hello)).toEqual({
    body: { text: 'Hello there. How are you?', usage: { type: 'duration', seconds: 5 } },
    head: { contentType: 'application/json;charset=utf-8' },
  })
})

test('text is one line', () => {
  expect(answer(hello, ['response_format', 'text'])).toEqual({
    body: 'Hello there. How are you?\n',
    head: { contentType: 'text/plain; charset=utf-8' },
  })
})

test('verbose_json has every number that clients take for given', () => {
  const { body } = answer(hello, ['response_format', 'verbose_json'], ['timestamp_granularities', 'word,segment'])
  const rest = { seek: 0, tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 0, no_speech_prob: 0 }
  expect(body).toEqual({
    task: 'transcribe',
    language: 'en',
    duration: 4.2,
    text: 'Hello there. How are you?',
    segments: [
      { id: 0, start: 0.5, end: 1.5, text: 'Hello there.', ...rest },
      { id: 1, start: 2, end: 3.5, text: 'How are you?', ...rest },
    ],
    words: [
      { word: 'Hello', start: 0.5, end: 1 },
      { word: 'there.', start: 1, end: 1.5 },
      { word: 'How', start: 2, end: 2.5 },
      { word: 'are', start: 2.5, end: 3 },
      { word: 'you?', start: 3, end: 3.5 },
    ],
    usage: { type: 'duration', seconds: 5 },
  })
  const words = answer(hello, ['response_format', 'verbose_json'], ['timestamp_granularities[]', 'word'])
  expect(Object.keys(words.body)).toEqual(['task', 'language', 'duration', 'text', 'words', 'usage'])
})

test('a language that nobody knows is so called', () => {
  const call = callOf([['response_format', 'verbose_json']])
  const collector = transcriptionsDialect.collector(call, answerContext())
  expect(JSON.parse(textOf(collector))).toMatchObject({ language: 'und' })
})

test('edge case 72: srt has commas, vtt has points, both have hours, and times are rounded before they are split', () => {
  const heard: Heard = { segments: [said('one', 59.9996, 3599.9995)], seconds: 4000 }
  expect(answer(heard, ['response_format', 'srt']).body).toBe('1\n00:01:00,000 --> 01:00:00,000\none\n\n')
  const vtt = answer(heard, ['response_format', 'vtt'])
  expect(vtt.body).toBe('WEBVTT\n\n00:01:00.000 --> 01:00:00.000\none\n\n')
  expect(vtt.head?.contentType).toBe('text/vtt; charset=utf-8')
  const late = answer({ segments: [said('x', 360_000, 360_001)], seconds: 400_000 }, ['response_format', 'srt'])
  expect(late.body).toStartWith('1\n100:00:00,000 --> ')
})

test('edge case 72: of silence there is text without words, and no cue', () => {
  const silence: Heard = { segments: [] }
  expect(answer(silence).body).toMatchObject({ text: '' })
  expect(answer(silence, ['response_format', 'srt']).body).toBe('')
  expect(answer(silence, ['response_format', 'vtt']).body).toBe('WEBVTT\n\n')
  expect(answer(silence, ['response_format', 'verbose_json']).body).toMatchObject({ text: '', segments: [] })
  const speakers = answer({ ...silence, turns: [] }, ['diarize', 'true'])
  expect(speakers.body).toMatchObject({ text: '', speakers: [], segments: [], words: [], speaker_segments: [] })
  expect(speakers.head?.headers).toEqual({ 'x-diarized': '0 speakers' })
})

describe('two speakers', () => {
  // Transcript whose second speaker begins within a segment
  const heard: Heard = {
    segments: [said('Hello there you too', 0, 4), said('Good night', 5, 6)],
    turns: [
      { speaker: 0, startSeconds: 0, endSeconds: 2 },
      { speaker: 1, startSeconds: 2, endSeconds: 4 },
      { speaker: 0, startSeconds: 5, endSeconds: 6 },
    ],
    seconds: 6,
  }
  const diarize: FormField = ['diarize', 'true']

  test('edge case 73: json and verbose_json are the same, a segment for each turn', () => {
    const { body, head } = answer(heard, diarize)
    expect(answer(heard, diarize, ['response_format', 'verbose_json'])).toEqual({ body, head })
    expect(head).toEqual({ contentType: 'application/json;charset=utf-8', headers: { 'x-diarized': '2 speakers' } })
    const word = (id: number, text: string, start: number, end: number, speaker: string) => ({
      id,
      word: text,
      start,
      end,
      speaker,
      speaker_id: speaker,
      score: 0,
    })
    const words = [
      word(0, 'Hello', 0, 1, 'SPEAKER_00'),
      word(1, 'there', 1, 2, 'SPEAKER_00'),
      word(2, 'you', 2, 3, 'SPEAKER_01'),
      word(3, 'too', 3, 4, 'SPEAKER_01'),
      word(4, 'Good', 5, 5.5, 'SPEAKER_00'),
      word(5, 'night', 5.5, 6, 'SPEAKER_00'),
    ]
    const turns = [
      { start: 0, end: 2, speaker: 'SPEAKER_00', text: 'Hello there' },
      { start: 2, end: 4, speaker: 'SPEAKER_01', text: 'you too' },
      { start: 5, end: 6, speaker: 'SPEAKER_00', text: 'Good night' },
    ]
    expect(body).toEqual({
      task: 'transcribe',
      text: 'Hello there you too Good night',
      language: 'en',
      duration: 6,
      speakers: ['SPEAKER_00', 'SPEAKER_01'],
      segments: turns.map((turn, id) => ({ id, ...turn })),
      words,
      speaker_segments: turns.map(({ speaker, ...turn }, index) => ({
        speaker_id: speaker,
        ...turn,
        words: words.slice(index * 2, index * 2 + 2).map(({ id: _, ...rest }) => rest),
      })),
      usage: { type: 'duration', seconds: 6 },
    })
  })

  test('diarized_json has the segments of verbose_json, with ids and types', () => {
    const { body, head } = answer(heard, ['response_format', 'diarized_json'])
    const verbose = answer(heard, diarize, ['response_format', 'verbose_json']).body
    expect(body).toEqual({
      task: 'transcribe',
      duration: 6,
      text: 'Hello there you too Good night',
      segments: verbose.segments.map((segment: object, index: number) => ({
        ...segment,
        type: 'transcript.text.segment',
        id: `seg_${index}`,
      })),
      usage: { type: 'duration', seconds: 6 },
    })
    expect(head).toEqual({ contentType: 'application/json;charset=utf-8', headers: { 'x-diarized': '2 speakers' } })
  })

  test('label each line of text and each cue', () => {
    expect(answer(heard, diarize, ['response_format', 'text'])).toEqual({
      body: 'SPEAKER_00: Hello there\nSPEAKER_01: you too\nSPEAKER_00: Good night\n',
      head: { contentType: 'text/plain; charset=utf-8', headers: { 'x-diarized': '2 speakers' } },
    })
    const srt = answer(heard, diarize, ['response_format', 'srt'])
    expect(srt.body).toContain('2\n00:00:02,000 --> 00:00:04,000\nSPEAKER_01: you too\n\n')
    expect(srt.head?.headers).toEqual({ 'x-diarized': '2 speakers' })
    expect(answer(heard, diarize, ['response_format', 'vtt']).body).toContain('.000\nSPEAKER_01: you too\n\n')
  })
})

test('words alone are cues of their own', () => {
  const words: FormField = ['timestamp_granularities[]', 'word']
  const srt = answer(hello, ['response_format', 'srt'], words).body
  expect(srt).toStartWith('1\n00:00:00,500 --> 00:00:01,000\nHello\n\n2\n00:00:01,000 --> 00:00:01,500\nthere.\n\n3\n')
  expect(answer(hello, ['response_format', 'vtt'], words).body).toContain('00:00:03.000 --> 00:00:03.500\nyou?\n\n')
  const both: FormField = ['timestamp_granularities[]', 'word,segment']
  expect(answer(hello, ['response_format', 'srt'], both).body).toBe(answer(hello, ['response_format', 'srt']).body)
})

describe('log probabilities', () => {
  const tokens = [
    { text: ' caf', logProbability: -0.25 },
    { text: '<0xC3>', logProbability: 0 },
    { text: '<0xa9>', logProbability: -1 },
  ]
  const heard: Heard = { segments: [{ ...said('café', 0, 1), tokens }, said('yes', 1, 2)] }
  const logprobs = [
    { token: ' caf', bytes: [32, 99, 97, 102], logprob: -0.25 },
    { token: '<0xC3>', bytes: [0xc3], logprob: 0 },
    { token: '<0xa9>', bytes: [0xa9], logprob: -1 },
  ]

  test('are listed with their bytes, where they are asked for', () => {
    expect(answer(heard, ['include[]', 'logprobs']).body).toMatchObject({ text: 'café yes', logprobs })
    expect(answer(heard, ['include[]', 'logprobs'], ['response_format', 'verbose_json']).body).toMatchObject({
      logprobs,
    })
    expect(answer(heard).body).not.toHaveProperty('logprobs')
  })

  test('stand in each event of a stream', () => {
    const call = callOf([
      ['stream', 'true'],
      ['include[]', 'logprobs'],
    ])
    const encoder = transcriptionsDialect.encoder?.(call, answerContext())
    const frames = eventsOf(heard).flatMap((event) => encoder?.push(event) ?? [])
    const sent = frames
      .filter((frame) => String(frame).startsWith('data:'))
      .map((frame) => JSON.parse(String(frame).slice(5)))
    expect(sent).toMatchObject([
      { type: 'transcript.text.delta', delta: 'café', logprobs },
      { type: 'transcript.text.delta', delta: ' yes', logprobs: [] },
      { type: 'transcript.text.done', text: 'café yes', logprobs },
    ])
  })
})

test('a translation has a task and a language', () => {
  const body = toFormBody(translationsDialect.body, [
    ['model', 'm'],
    ['response_format', 'verbose_json'],
  ])
  const collector = translationsDialect.collector(translationsDialect.parse(body), answerContext())
  for (const event of eventsOf({ ...hello, language: 'de' })) collector.push(event)
  expect(JSON.parse(textOf(collector))).toMatchObject({
    task: 'translate',
    language: 'english',
    duration: 4.2,
    segments: [{ text: 'Hello there.' }, { text: 'How are you?' }],
  })
})

/** Returns words of half a second each. `_` marks a word that is glued to the word before it. */
function glued(words: string, startSeconds: number): Omit<TranscriptSegment, 'type'> {
  const all = words.split(' ').map((word, index) => ({
    text: word.replace('_', ''),
    startSeconds: startSeconds + index / 2,
    endSeconds: startSeconds + index / 2 + 0.5,
    ...(word.startsWith('_') && { isGlued: true }),
  }))
  const text = words.replaceAll(' _', '')
  return { text, startSeconds, endSeconds: startSeconds + all.length / 2, words: all }
}

test('words of scripts without spaces are joined as their model wrote them, in all formats', () => {
  const segments = [glued('他 _说：“ _好” _用 _iPhone _吗？', 0), glued('コ _ー _ヒ _ー OK', 4)]
  const text = '他说：“好”用iPhone吗？コーヒー OK'
  const turns = [{ speaker: 0, startSeconds: 0, endSeconds: 60 }]
  expect(answer({ segments }).body).toMatchObject({ text })
  expect(answer({ segments, turns }, ['diarize', 'true']).body).toMatchObject({ text, segments: [{ text }] })
  expect(answer({ segments, turns }, ['diarize', 'true'], ['response_format', 'text']).body).toBe(
    `SPEAKER_00: ${text}\n`,
  )
  const srt = answer({ segments, turns }, ['diarize', 'true'], ['response_format', 'srt']).body
  for (const segment of segments) expect(srt).toContain(`SPEAKER_00: ${segment.text}\n`)
})

test('one turn over two segments has a space between them', () => {
  const turns = [{ speaker: 0, startSeconds: 0, endSeconds: 60 }]
  const text = 'Hello there. How are you?'
  const diarized = answer({ ...hello, turns }, ['diarize', 'true'])
  expect(diarized.body).toMatchObject({ text, segments: [{ text }], speaker_segments: [{ text }] })
})

test('scripts without spaces get none', () => {
  expect(joinTexts(['你好', '世界', 'OK', '了'])).toBe('你好世界 OK 了')
  expect(joinTexts(['“你好”', '“世界！”', 'one', '好'])).toBe('“你好”“世界！” one 好')
  expect(joinTexts(['one', 'two'])).toBe('one two')
  expect(joinTexts([])).toBe('')
})

const seconds = fc.double({ min: -1, max: 70, noNaN: true })
const spans = fc.array(fc.record({ startSeconds: seconds, endSeconds: seconds }), { maxLength: 20 })

test('whatever times a model gives, those of the answer are in order and within the recording', () => {
  fc.assert(
    fc.property(spans, fc.double({ min: 0, max: 60, noNaN: true }), (some, duration) => {
      const timed = [...withTimes(some, duration)]
      expect(timed).toHaveLength(some.length)
      for (const [index, { startMs, endMs }] of timed.entries()) {
        expect(startMs).toBeGreaterThanOrEqual(timed[index - 1]?.endMs ?? 0)
        expect(endMs).toBeGreaterThanOrEqual(startMs)
        expect(endMs).toBeLessThanOrEqual(Math.round(duration * 1000))
      }
    }),
  )
})

test('whatever is said, another program reads the same cues from srt and vtt', async () => {
  const text = fc.stringMatching(/^[\w<>&.,!?'"\n-]{1,12}( [\w<>&.,!?'"\n-]{1,12}){0,6}$/)
  const property = fc.asyncProperty(fc.array(text, { maxLength: 5 }), async (texts) => {
    const segments = texts.map((each, index) => said(each, index * 2.001, index * 2.001 + 1.5))
    const expected = segments.map((segment) => [
      Math.round(segment.startSeconds * 1000),
      Math.round(segment.endSeconds * 1000),
      segment.text.replaceAll(/\s+/g, ' ').replaceAll('-->', '→'),
    ])
    for (const type of ['srt', 'vtt'] as const) {
      const { body } = answer({ segments }, ['response_format', type])
      const { cues, errors } = await parseText(String(body), { type, errors: true, strict: true })
      expect(errors).toEqual([])
      const read = cues.map(({ startTime, endTime, text: shown }) => [
        Math.round(startTime * 1000),
        Math.round(endTime * 1000),
        type === 'vtt' ? shown.replaceAll('&lt;', '<').replaceAll('&amp;', '&') : shown,
      ])
      expect(read).toEqual(expected)
    }
  })
  await fc.assert(property, { numRuns: 200 })
})

test('a stream has an event for each segment, and one with all of them', () => {
  const encoder = transcriptionsDialect.encoder?.(callOf([['stream', 'true']]), answerContext())
  const frames = [...eventsOf(hello).flatMap((event) => encoder?.push(event) ?? []), ...(encoder?.end() ?? [])]
  expect(frames).toEqual([
    ': keep-alive\n\n',
    'data: {"type":"transcript.text.delta","delta":"Hello there."}\n\n',
    'data: {"type":"transcript.text.delta","delta":" How are you?"}\n\n',
    'data: {"type":"transcript.text.done","text":"Hello there. How are you?","usage":{"type":"duration","seconds":5}}\n\n',
    'data: [DONE]\n\n',
  ])
})

test('the answer of a long recording comes in pieces of which none takes long to make', () => {
  const segments = Array.from({ length: 1000 }, (_, index) => said('one two three four five', index * 5, index * 5 + 5))
  const heard = { segments, turns: [{ speaker: 0, startSeconds: 0, endSeconds: 5000 }], seconds: 5000 }
  for (const format of ['json', 'verbose_json', 'srt', 'vtt']) {
    const collector = transcriptionsDialect.collector(
      callOf([
        ['diarize', 'true'],
        ['response_format', format],
      ]),
      answerContext(),
    )
    for (const event of eventsOf(heard)) collector.push(event)
    const lengths = Array.from(collector.end() as Iterable<string>, ({ length }) => length)
    expect(lengths.length).toBeGreaterThan(1000)
    expect(Math.max(...lengths)).toBeLessThan(30_000) // the text alone has 24,000
  }
})
