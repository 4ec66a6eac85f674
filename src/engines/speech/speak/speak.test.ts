import { afterAll, expect, test } from 'bun:test'
import type { SpeakRequest } from '../../../core/speech.ts'
import type { Consumption } from '../../../core/usage.ts'
import { starterSpeechModel, startSpeechEngines } from '../../../testing/starter-speech.ts'
import { unlimited } from '../../protocol/work-engines.ts'

const lines: string[] = []
const pool = startSpeechEngines(lines)
afterAll(() => pool.stop())
const model = starterSpeechModel('tts')

interface Options extends Partial<SpeakRequest> {
  readonly accountId?: string
  readonly signal?: AbortSignal
  readonly cancelled?: (used: Consumption) => void
}

function events({ accountId = 'a', signal = new AbortController().signal, cancelled, ...request }: Options) {
  const work = { kind: 'speak', request: { input: 'x', voice: 'alloy', speed: 1, format: 'pcm', ...request } } as const
  const meter = { ...unlimited, cancelled: cancelled ?? unlimited.cancelled }
  return pool.run(model, work, { accountId, signal, meter })
}

async function speak(options: Options): Promise<{ readonly bytes: Buffer; readonly characters: number }> {
  const parts: Uint8Array[] = []
  let characters = -1
  for await (const event of events(options)) {
    if (event.type === 'audio') parts.push(event.bytes)
    if (event.type === 'finish') characters = event.usage.characters
  }
  return { bytes: Buffer.concat(parts), characters }
}

/** Returns the length of 16-bit samples at 24 kHz. */
const secondsOf = (bytes: Uint8Array) => bytes.length / 48_000

const sentence = 'A brown fox jumps over it.'

test('a text becomes audio, and is counted in code points', async () => {
  const { bytes, characters } = await speak({ input: `${sentence} 😀` })
  expect(characters).toBe(28)
  expect(secondsOf(bytes)).toBeGreaterThan(1)
  const samples = new Int16Array(new Uint8Array(bytes).buffer)
  expect(Math.max(...samples)).toBeGreaterThan(1000)
})

test('every format begins as its players expect', async () => {
  const beginnings = { mp3: 'ID3', opus: 'OggS', flac: 'fLaC' } as const
  for (const [format, beginning] of Object.entries(beginnings)) {
    const { bytes } = await speak({ input: sentence, format: format as keyof typeof beginnings })
    expect(bytes.toString('latin1').startsWith(beginning)).toBe(true)
    expect(bytes.length).toBeGreaterThan(4000)
  }
  const [wav, pcm] = await Promise.all([speak({ input: sentence, format: 'wav' }), speak({ input: sentence })])
  expect(wav.bytes.equals(pcm.bytes)).toBe(true)
})

test('speed changes the duration, at its extremes too', async () => {
  const [slow, normal, fast] = await Promise.all(
    [0.25, 1, 4].map(async (speed) => secondsOf((await speak({ input: sentence, speed })).bytes)),
  )
  expect((slow ?? 0) / (normal ?? 1)).toBeWithin(3.5, 4.5)
  expect((normal ?? 0) / (fast ?? 1)).toBeWithin(3, 5)
})

test('between sentences is a pause, as long as the speed makes it, and none behind the last', async () => {
  for (const speed of [1, 4]) {
    const [one, two] = await Promise.all(
      ['No.', 'No. No.'].map(async (input) => secondsOf((await speak({ input, speed })).bytes)),
    )
    expect((two ?? 0) - 2 * (one ?? 0)).toBeCloseTo(0.25 / speed, 3)
  }
})

test('voices differ, and are found in any case', async () => {
  const of = async (voice: string) => (await speak({ input: sentence, voice })).bytes
  const [first, same, other] = await Promise.all([of('alloy'), of('STARTER-0'), of('nova')])
  expect(first?.equals(same ?? Buffer.alloc(0))).toBe(true)
  expect(first?.equals(other ?? Buffer.alloc(0))).toBe(false)
  await expect(of('nobody')).rejects.toMatchObject({ code: 'invalid_value', param: 'voice' })
})

test('a text with nothing to say is a short silence', async () => {
  for (const input of ['😀', '...', '你好']) {
    const { bytes } = await speak({ input })
    expect(secondsOf(bytes)).toBe(0.3)
    expect(bytes.every((byte) => byte === 0)).toBe(true)
  }
  expect((await speak({ input: '😀', format: 'mp3' })).bytes.length).toBeGreaterThan(500)
})

test('a voice whose speaker the model does not have is a broken model', async () => {
  const said: string[] = []
  const other = startSpeechEngines(said)
  const voices = [{ name: 'Ada', speaker: 13, aliases: [] }]
  const broken = { ...model, manifest: { ...model.manifest, synthesizer: { kind: 'vits', voices } as const } }
  const work = { kind: 'speak', request: { input: 'x', voice: 'Ada', speed: 1, format: 'pcm' } } as const
  const context = { accountId: 'a', signal: new AbortController().signal, meter: unlimited }
  await expect(Array.fromAsync(other.run(broken, work, context))).rejects.toMatchObject({ code: 'model_unavailable' })
  expect(said.join()).toContain('the voice "Ada" is speaker 13, and the model has 13, from 0 on')
  await other.stop()
})

test('single letters are spoken', async () => {
  expect(secondsOf((await speak({ input: 'I' })).bytes)).toBeGreaterThan(0.1)
})

test('audio comes before the last sentence is made, whichever way it is split', async () => {
  const stream = events({ input: `${sentence} `.repeat(40) })
  await stream.next()
  const first = await stream.next()
  expect(first.value).toMatchObject({ type: 'audio' })
  expect((await pool.stats(model.manifest.id))?.running).toBe(1)
  await stream.return(undefined)
})

test('another account’s sentence comes before the end of a long text', async () => {
  const order: string[] = []
  const long = speak({ input: `${sentence} `.repeat(30), accountId: 'a' }).then(() => order.push('long'))
  const short = speak({ input: sentence, accountId: 'b' }).then(() => order.push('short'))
  await Promise.all([long, short])
  expect(order).toEqual(['short', 'long'])
})

test('a client that disconnects pays for the sentences that were begun, and no others are made', async () => {
  const client = new AbortController()
  let used: Consumption | undefined
  const input = `${sentence} `.repeat(60)
  const stream = events({ input, signal: client.signal, cancelled: (consumed) => (used = consumed) })
  await stream.next()
  await stream.next()
  const before = (await pool.stats(model.manifest.id))?.steps ?? 0
  client.abort(new Error('left'))
  await expect(Array.fromAsync(stream)).rejects.toThrow('left')
  expect(used?.characters).toBeWithin(1, input.length / 2)
  const { bytes } = await speak({ input: 'x.' })
  expect(bytes.length).toBeGreaterThan(0)
  expect(((await pool.stats(model.manifest.id))?.steps ?? 0) - before).toBeLessThan(5)
})

test('a client that does not read stops the synthesis, until it reads on', async () => {
  const stream = events({ input: `${sentence} `.repeat(24) })
  await stream.next()
  await stream.next()
  // Other requests are served meanwhile, long enough to exceed the unread bytes.
  await speak({ input: `${sentence} `.repeat(12), accountId: 'b' })
  const steps = (await pool.stats(model.manifest.id))?.steps ?? 0
  await speak({ input: sentence, accountId: 'b' })
  const paused = await pool.stats(model.manifest.id)
  expect((paused?.steps ?? 0) - steps).toBe(1)
  // Counts as idle, since the watchdog kills an engine that has work and makes no step.
  expect(paused).toMatchObject({ running: 0, waiting: 0 })
  const rest = await Array.fromAsync(stream)
  expect(rest.at(-1)).toMatchObject({ type: 'finish' })
})

test('nothing of what clients write is logged', () => {
  expect(lines).toEqual([])
})
