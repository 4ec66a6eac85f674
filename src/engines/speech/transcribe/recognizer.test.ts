import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TranscriberKind } from '../../../core/speech-model-settings.ts'
import { speechLike } from '../../../testing/spoken.ts'
import { starterTranscriber } from '../../../testing/starter-transcriber.ts'
import { runtimePaths } from '../../runtime/runtime-paths.ts'
import { WordPieces } from './hotwords.ts'
import { openRecognizer, type RecognizedChunk, type Recognizer, type Sound } from './recognizer.ts'
import { recognizerKinds } from './recognizer-kinds.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-recognizer-'))
afterAll(() => rmSync(folder, { recursive: true }))
const { sherpaOnnx, addons } = await runtimePaths('')
const addon = join(addons, 'inferd-speech.node')

/** Opens a recogniser, by default the starter's; with `together`, for runs of several chunks. */
async function open(
  together?: { readonly addon: string; readonly chunks: number },
  kind: TranscriberKind = 'zipformer-ctc',
  filePaths = starterTranscriber().filePaths,
  scoredPieces?: string,
) {
  const lines: string[] = []
  const recognizer = await openRecognizer({
    sherpaOnnx,
    kind: recognizerKinds[kind],
    pathOf: (role) => filePaths[role] ?? '',
    threads: 1,
    provider: 'cpu',
    ...(together !== undefined && { together }),
    scoredPieces,
    log: (line) => lines.push(line),
  })
  return { recognizer, lines }
}

function plain(samples: Float32Array): Sound {
  return { samples, hotwords: '' }
}

async function heard(recognizer: Recognizer, chunks: readonly Float32Array[]): Promise<RecognizedChunk[]> {
  const results = await recognizer.recognize(chunks.map(plain))
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

/**
 * The addon frees objects without a JavaScript reference, even during their computation, which would end the process.
 */
test.each([
  ['one chunk', undefined, 1],
  ['several chunks', { addon, chunks: 8 }, 3],
] as const)('garbage collection does not free what is being recognised in runs of %s', async (_, together, count) => {
  const { recognizer } = await open(together)
  const chunks = () => Array.from({ length: count }, () => plain(speechLike(10)))
  for (let round = 0; round < 4; round++) {
    const all = [chunks(), chunks(), chunks()].map((each) => recognizer.recognize(each))
    for (let collection = 0; collection < 4; collection++) {
      Bun.gc(true)
      await Promise.resolve()
    }
    expect(await Promise.all(all)).toHaveLength(3)
  }
})

test('chunks of unlike lengths say the same in one run as each alone', async () => {
  const [alone, together] = [await open(), await open({ addon, chunks: 8 })]
  expect(together).toMatchObject({ recognizer: { chunksTogether: 8 }, lines: [] })
  const chunks = [3.8, 0.9, 12, 27, 1.6, 7].map((seconds, at) => speechLike(seconds, at * 1000))
  const expected = (await Promise.all(chunks.map((chunk) => heard(alone.recognizer, [chunk])))).flat()
  const found = await heard(together.recognizer, chunks)
  expect(found.map(({ text }) => text)).toEqual(expected.map(({ text }) => text))
  expect(found.map(({ tokens }) => tokens)).toEqual(expected.map(({ tokens }) => tokens))
  expect(expected.filter(({ text }) => text !== '').length).toBeGreaterThan(3)
})

test('chunks of which the library makes nothing are rejected with its words, each alone, and runs stay as large', async () => {
  const { recognizer } = await open({ addon, chunks: 8 })
  const nothing = plain(new Float32Array(0))
  const results = await recognizer.recognize([nothing, nothing, nothing])
  expect(results).toHaveLength(3)
  for (const result of results)
    expect(result).toMatchObject({ reason: { message: expect.stringContaining('Invalid') } })
  expect(recognizer.chunksTogether).toBe(8)
})

test.each([
  ['nemo-ctc', ['model'], 'a cats sat'],
  ['transducer', ['encoder', 'decoder', 'joiner'], 'a cats sat'],
  ['nemo-transducer', ['encoder', 'decoder', 'joiner'], 'a cats sat'],
  ['sense-voice', ['model'], 'yes no你好.'],
] as const)('chunks of a %s model share a run', async (kind, roles, text) => {
  const fixtures = join(import.meta.dir, '..', 'fixtures')
  const files = roles.map((role) => [role, join(fixtures, `${kind}${role === 'model' ? '' : `-${role}`}.onnx`)])
  const { recognizer, lines } = await open({ addon, chunks: 8 }, kind, {
    tokens: join(fixtures, `${kind}-tokens.txt`),
    ...Object.fromEntries(files),
  })
  expect({ together: recognizer.chunksTogether, lines }).toEqual({ together: 8, lines: [] })
  const [short, long] = await heard(recognizer, [speechLike(2), speechLike(5)])
  expect([short?.text, long?.text]).toEqual([text, text])
  expect(short?.timestamps).toEqual(long?.timestamps ?? [])
})

test('a kind that the library computes chunk by chunk has runs of one', () => {
  const alone = Object.entries(recognizerKinds).flatMap(([kind, { sharesRuns }]) => (sharesRuns ? [] : kind))
  expect(alone.toSorted()).toEqual(['moonshine', 'whisper'])
})

test('without the addon, or with one that is another, chunks are recognised one by one and the log says why', async () => {
  const garbage = join(folder, 'garbage.node')
  writeFileSync(garbage, 'garbage')
  for (const other of [join(folder, 'gone.node'), garbage, sherpaOnnx]) {
    const { recognizer, lines } = await open({ addon: other, chunks: 8 })
    expect(recognizer.chunksTogether).toBe(1)
    expect(lines.join('\n')).toMatch(/^recognises one chunk in a run: ./)
    expect(await heard(recognizer, [speechLike(2), speechLike(3)])).toHaveLength(2)
  }
})

test.each([
  ['alone', undefined],
  ['in one run', { addon, chunks: 8 }],
])('each chunk has its own hotwords: %s', async (_, together) => {
  const fixture = (name: string) => join(import.meta.dir, '..', 'fixtures', `transducer-${name}`)
  const files = ['encoder', 'decoder', 'joiner'].map((role) => [role, fixture(`${role}.onnx`)])
  const tokens = fixture('tokens.txt')
  const vocabulary = join(folder, 'words.vocab')
  writeFileSync(vocabulary, new WordPieces(readFileSync(tokens, 'utf8')).scored)
  const filePaths = { tokens, ...Object.fromEntries(files) }
  const { recognizer } = await open(together, 'transducer', filePaths, vocabulary)
  const results = await recognizer.recognize([
    plain(speechLike(2)),
    { samples: speechLike(3), hotwords: 'sad' },
    plain(speechLike(2)),
  ])
  expect(results.map((result) => result.status === 'fulfilled' && result.value.text)).toEqual([
    ...['a cats sat', 'a cats sad', 'a cats sat'],
  ])
})
