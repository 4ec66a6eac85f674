/**
 * Each kind of recogniser on the real engine, with graphs whose output does not depend on the audio, made by
 * `scripts/onnx-fixtures/make_speech.py`.
 */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InstalledModel, ModelManifest } from '../../../core/model.ts'
import type { TranscribeRequest } from '../../../core/speech.ts'
import type { TranscriberKind } from '../../../core/speech-model-settings.ts'
import { silence, spokenSamples, writeRecording } from '../../../testing/spoken.ts'
import { starterTranscriber, startTranscribers, type Transcript } from '../../../testing/starter-transcriber.ts'
import { recognizerKinds } from './recognizer-kinds.ts'

const fixtures = join(import.meta.dir, '..', 'fixtures')
const folder = mkdtempSync(join(tmpdir(), 'inferd-kinds-'))
const transcribers = startTranscribers({ threads: 2 })

afterAll(async () => {
  await transcribers.pool.stop()
  rmSync(folder, { recursive: true })
})

function modelOf(
  kind: TranscriberKind,
  languages: readonly string[],
  roles: readonly string[],
  capabilities: ModelManifest['capabilities'] = {},
): InstalledModel {
  const { manifest, filePaths } = starterTranscriber()
  const paths = roles.map((role) => [role, join(fixtures, role === 'model' ? `${kind}.onnx` : `${kind}-${role}.onnx`)])
  return {
    manifest: { ...manifest, id: `test/${kind}`, capabilities, transcriber: { kind, languages } },
    filePaths: { vad: filePaths.vad ?? '', tokens: join(fixtures, `${kind}-tokens.txt`), ...Object.fromEntries(paths) },
  }
}

/** Transcribes a recording of four seconds of speech and a pause, repeated `times` times. */
function transcribe(
  model: InstalledModel,
  language?: string,
  times = 1,
  options: Partial<TranscribeRequest> = {},
): Promise<Transcript> {
  const parts = Array.from({ length: times }, () => [spokenSamples(), silence(6)]).flat()
  const audio = writeRecording(join(folder, `${Bun.randomUUIDv7()}.pcm`), ...parts)
  return transcribers.transcribe(model, { audio, language, wantsWords: true, ...options })
}

function words({ segments }: Transcript): [string, number][] {
  return segments.flatMap(({ words: own = [] }) =>
    own.map(({ text, startSeconds }): [string, number] => [text, startSeconds]),
  )
}

const transducerRoles = ['encoder', 'decoder', 'joiner']
const cats = (first: number, second: number, third: number) => [
  ['a', first],
  ['cats', second],
  ['sat', third],
]

test.each([
  ['nemo-ctc', ['model'], cats(0.16, 0.32, 0.72)],
  ['transducer', transducerRoles, cats(0.08, 0.16, 0.36)],
  ['nemo-transducer', transducerRoles, cats(0.16, 0.32, 0.72)],
] as const)('%s tells when its tokens begin', async (kind, roles, expected) => {
  const heard = await transcribe(modelOf(kind, ['en', 'de'], roles))
  expect(words(heard)).toEqual(expected as [string, number][])
  expect(heard.language).toBeUndefined()
})

test('durations and probabilities of tokens become ends and scores of words', async () => {
  const { segments } = await transcribe(modelOf('nemo-transducer', ['en'], transducerRoles))
  expect(segments[0]?.words).toEqual([
    { text: 'a', startSeconds: 0.16, endSeconds: 0.24, score: 1 },
    { text: 'cats', startSeconds: 0.32, endSeconds: 0.56, score: 1 },
    { text: 'sat', startSeconds: 0.72, endSeconds: 0.8, score: 1 },
  ])
  expect(segments[0]?.averageLogProbability).toBe(0)
})

test('sense-voice tells the language, and has a word for each character of Chinese', async () => {
  const heard = await transcribe(modelOf('sense-voice', ['en', 'zh'], ['model']))
  expect(words(heard).map(([text]) => text)).toEqual(['yes', 'no', '你', '好.'])
  expect(heard).toMatchObject({ text: 'yes no你好.', language: 'en' })
})

const whisper = modelOf('whisper', ['en', 'de'], ['encoder', 'decoder'])

test('words of whisper are spread over its sentences', async () => {
  const heard = await transcribe(whisper)
  expect(words(heard).map(([text]) => text)).toEqual(['hello', 'world', 'good', 'day,'])
  const [hello, world, good, day] = words(heard).map(([, startSeconds]) => startSeconds)
  expect(hello).toBeLessThan(0.2)
  expect(world).toBeWithin(0.3, 0.7)
  expect(good).toBeCloseTo(1.2, 1)
  expect(day).toBeWithin(1.4, 1.7)
})

test('whisper finds out the language, unless the client says one that it knows', async () => {
  expect((await transcribe(whisper)).language).toBe('de')
  expect((await transcribe(whisper, 'en')).language).toBe('en')
  expect((await transcribe(whisper, 'xx')).text).toBe('hello world good day,')
})

test('what whisper cannot decode is an error, not an empty text', async () => {
  const { manifest, filePaths } = whisper
  const damaged = { ...filePaths, decoder: filePaths.encoder ?? '' }
  const failed = transcribe({ manifest: { ...manifest, id: 'test/damaged' }, filePaths: damaged })
  await expect(failed).rejects.toMatchObject({ code: 'engine_failed' })
})

test('whisper is told of Javanese by its own code', () => {
  const languageFor = (language: string) => recognizerKinds.whisper.config(() => '', { language, translates: false })
  expect(languageFor('jv')).toMatchObject({ whisper: { language: 'jw' } })
  expect(languageFor('de')).toMatchObject({ whisper: { language: 'de' } })
})

test('recordings in several languages are transcribed side by side', async () => {
  const languages = ['en', 'de', undefined, 'en']
  const all = await Promise.all(languages.map((language) => transcribe(whisper, language, 2)))
  expect(all.map(({ language }) => language)).toEqual(['en', 'de', 'de', 'en'])
  for (const { segments } of all) expect(segments).toHaveLength(2)
})

test('whisper writes English where a translation is asked for, beside others that are not', async () => {
  const asked = [true, false, true, false]
  const all = await Promise.all(asked.map((translates) => transcribe(whisper, undefined, 2, { translates })))
  const [english, german] = ['good world good world', 'hello world good day, hello world good day,']
  expect(all.map(({ text }) => text)).toEqual([english, german, english, german])
})

test.each(['transducer', 'nemo-transducer'] as const)(
  '%s scores its tokens, which together are the text',
  async (kind) => {
    const { segments, text } = await transcribe(modelOf(kind, ['en'], transducerRoles), undefined, 2, {
      wantsTokens: true,
    })
    const tokens = segments.flatMap(({ tokens: own = [] }) => own)
    expect(tokens.map((token) => token.text)).toEqual([' a', ' cat', 's', ' sat', ' a', ' cat', 's', ' sat'])
    expect(
      tokens
        .map((token) => token.text)
        .join('')
        .trim(),
    ).toBe(text)
    const scores = tokens.map(({ logProbability }) => logProbability)
    // The last word could nearly as well be "sad".
    const last = kind === 'transducer' ? -0.474 : 0
    for (const [index, score] of scores.entries()) expect(score).toBeCloseTo(index % 4 === 3 ? last : 0, 3)
  },
)

const listening = modelOf('transducer', ['en'], transducerRoles, { prompt: true })
const deaf = modelOf('transducer', ['en'], transducerRoles)

test.each<[what: string, model: InstalledModel, request: Partial<TranscribeRequest>, last: string]>([
  ['nothing', listening, {}, 'sat'],
  ['a keyword', listening, { keywords: ['sad'] }, 'sad'],
  ['a prompt in another case', listening, { prompt: 'Of many things: SAD, and more.' }, 'sad'],
  ['words that cannot be spelled', listening, { keywords: [':x', '#y', '@z', '/', 'Ünsinn', ':1e999'] }, 'sat'],
  ['a keyword, for a model that takes none', deaf, { keywords: ['sad'] }, 'sat'],
])('the words of %s', async (_, { manifest, ...model }, request, last) => {
  const id = `${manifest.id}-${manifest.capabilities.prompt === true}`
  const heard = await transcribe({ ...model, manifest: { ...manifest, id } }, undefined, 1, request)
  expect(heard.text).toBe(`a cats ${last}`)
})

test('a preferred word is no likelier than certain', async () => {
  const model = modelOf('nemo-transducer', ['en'], transducerRoles, { prompt: true })
  const id = 'test/nemo-listening'
  const request = { keywords: ['cat'], wantsTokens: true }
  const { segments } = await transcribe({ ...model, manifest: { ...model.manifest, id } }, undefined, 1, request)
  expect(segments.flatMap(({ tokens = [] }) => tokens.map(({ logProbability }) => logProbability))).toEqual([
    0, 0, 0, 0,
  ])
})

test('a vocabulary without pieces of words is a failed load of a model that would prefer words', async () => {
  const model = modelOf('transducer', ['en'], transducerRoles, { prompt: true })
  const tokens = join(folder, 'letters.txt')
  writeFileSync(tokens, '<blk> 0\na 1\ncat 2\ns 3\nsat 4\nsad 5\n')
  const filePaths = { ...model.filePaths, tokens }
  const failed = transcribe({ manifest: { ...model.manifest, id: 'test/letters' }, filePaths })
  await expect(failed).rejects.toMatchObject({ kind: 'unavailable' })
})
