/** Real files of real encoders, decoded by `ffmpeg` if the machine has it, and by the built-in decoder. */
import { afterAll, afterEach, expect, test } from 'bun:test'
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { audioSampleRateHz } from '../core/speech.ts'
import { Spool, spoolDefaults } from '../spool/spool.ts'
import { until } from '../testing/until.ts'
import { AudioDecoder, type AudioDecoderOptions, admitted } from './audio-decoder.ts'
import { decodeBuiltIn } from './built-in/decode-built-in.ts'

const data = mkdtempSync(join(tmpdir(), 'inferd-audio-'))
afterAll(() => rmSync(data, { recursive: true }))

const folder = join(data, 'spool')
const left = () => (existsSync(folder) ? readdirSync(folder) : [])
afterEach(() => expect(left()).toEqual([]))

const nowhere = join(data, 'nowhere')
const builtIn = { way: 'what is built in', programPath: nowhere }
const byFfmpeg = { way: 'ffmpeg', programPath: '/usr/local/bin:/usr/bin:/bin' }
const hasFfmpeg = Bun.which('ffmpeg', { PATH: byFfmpeg.programPath }) !== null
/** The built-in decoder, and `ffmpeg` if the machine has it. */
const ways = hasFfmpeg ? [builtIn, byFfmpeg] : [builtIn]

const fixture = (name: string) => join(import.meta.dir, 'fixtures', name)

function fileOf(content: string | Uint8Array): string {
  const path = join(data, 'recording')
  writeFileSync(path, content)
  return path
}

/** Returns the samples of a file. The decoded file is deleted. */
async function decode(
  path: string,
  options: Partial<AudioDecoderOptions> = {},
  signal = new AbortController().signal,
): Promise<Int16Array> {
  const spool = new Spool({ ...spoolDefaults, folder })
  const decoder = new AudioDecoder({ spool, parallel: 1, ...options })
  await using audio = await decoder.decode({ path, accountId: 'a', signal })
  const samples = new Int16Array(readFileSync(audio.path).buffer)
  expect(samples.length).toBe(audio.sampleCount)
  return samples
}

async function refusal(decoding: Promise<unknown>): Promise<string> {
  const error = await decoding.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toMatchObject({ kind: 'invalid_request', code: 'invalid_audio', param: 'file' })
  return error instanceof Error ? error.message : ''
}

/** Returns the amplitude of one frequency. 1 is the loudest sine. */
function amplitude(samples: Int16Array, frequencyHz: number): number {
  let [sine, cosine] = [0, 0]
  samples.forEach((sample, index) => {
    const angle = (2 * Math.PI * frequencyHz * index) / audioSampleRateHz
    sine += (sample / 32_768) * Math.sin(angle)
    cosine += (sample / 32_768) * Math.cos(angle)
  })
  return (2 * Math.hypot(sine, cosine)) / samples.length
}

function expectTone(samples: Int16Array): void {
  // Codecs add up to two frames of silence, or lose one.
  expect(samples.length / audioSampleRateHz).toBeWithin(0.46, 0.58)
  expect(amplitude(samples.subarray(1600, 6400), 440)).toBeWithin(0.115, 0.135)
  expect(amplitude(samples.subarray(1600, 6400), 1000)).toBeLessThan(0.005)
}

const anywhere = ['tone.mp3', 'vorbis.ogg', 'opus.ogg', 'tone.flac', 'tone.webm', 'film.webm']
const wavs = ['mulaw.wav', 'alaw.wav', 'float.wav']
const needFfmpeg = [
  ...[
    'tone.m4a',
    'index-first.m4a',
    'film.mp4',
    'tone.aac',
    'tone.mpegts',
    'tone.avi',
    'tone.aiff',
    'tone.caf',
    'tone.au',
  ],
  ...['tone.wma', 'tone.flv', 'tone.w64', 'tone.mpg'],
]

const eachWay = (names: readonly string[]) => names.flatMap((name) => ways.map((way) => ({ name, ...way })))

test.each(eachWay([...anywhere, ...wavs]))('decodes $name by $way', async ({ name, programPath }) => {
  expectTone(await decode(fixture(name), { programPath }))
})

test.each(needFfmpeg)('%s needs ffmpeg, and where it is missing the message says so', async (name) => {
  if (hasFfmpeg) expectTone(await decode(fixture(name), byFfmpeg))
  const message = await refusal(decode(fixture(name), builtIn))
  expect(message).toMatch(/need ffmpeg, which this server does not have\..*apt-get install ffmpeg/)
})

test('both ways make the same samples, but for the last bit', async () => {
  if (!hasFfmpeg) return
  const [first, second] = [await decode(fixture('vorbis.ogg'), builtIn), await decode(fixture('vorbis.ogg'), byFfmpeg)]
  expect(second.length).toBe(first.length)
  const differences = first.map((sample, index) => Math.abs(sample - (second[index] ?? 0)))
  expect(Math.max(...differences)).toBeLessThan(3)
})

/** Returns a WAV file of 16-bit samples. */
function wav(samples: Int16Array, { channels = 1, sampleRateHz = audioSampleRateHz } = {}): Uint8Array {
  const header = Buffer.alloc(44)
  header.write('RIFF\0\0\0\0WAVEfmt ')
  header.writeUInt32LE(36 + samples.byteLength, 4)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(channels, 22)
  header.writeUInt32LE(sampleRateHz, 24)
  header.writeUInt32LE(sampleRateHz * channels * 2, 28)
  header.writeUInt16LE(channels * 2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.byteLength, 40)
  return Buffer.concat([header, new Uint8Array(samples.buffer)])
}

test.each(ways)('a file behind a tag is decoded by $way', async (way) => {
  const tag = Buffer.from('ID3\x04\0\0\0\0\0\x0a0123456789', 'latin1')
  const samples = Int16Array.of(1, -2, 3)
  expect(await decode(fileOf(Buffer.concat([tag, wav(samples)])), way)).toEqual(samples)
})

/** Returns samples with the same tone in all channels. */
function tone(frequencyHz: number, { channels = 1, sampleRateHz = audioSampleRateHz, seconds = 0.5 }): Int16Array {
  return Int16Array.from({ length: sampleRateHz * seconds * channels }, (_, index) =>
    Math.round(16_384 * Math.sin((2 * Math.PI * frequencyHz * Math.floor(index / channels)) / sampleRateHz)),
  )
}

test.each(ways)('samples of the rate that engines read are passed on as they are by $way', async (way) => {
  const samples = Int16Array.of(1, -2, 3, 32_767, -32_768)
  expect(await decode(fileOf(wav(samples)), way)).toEqual(samples)
  expect(await decode(fileOf(wav(Int16Array.of(7))), way)).toEqual(Int16Array.of(7))
})

test('8 channels of 192 kHz become one of 16', async () => {
  const format = { channels: 8, sampleRateHz: 192_000 }
  const samples = await decode(fileOf(wav(tone(440, format), format)), builtIn)
  expect(samples.length).toBe(8000)
  expect(amplitude(samples.subarray(1600, 6400), 440)).toBeWithin(0.3, 0.6)
})

test('what is too high for the rate is filtered and not mirrored', async () => {
  const format = { sampleRateHz: 44_100, seconds: 1 }
  const [high, low] = [tone(11_000, format), tone(7_000, format)]
  const both = high.map((sample, index) => (sample + (low[index] ?? 0)) / 2)
  const samples = (await decode(fileOf(wav(both, format)), builtIn)).subarray(1600, 14_400)
  expect(amplitude(samples, 5_000)).toBeLessThan(0.25 * 10 ** (-60 / 20))
  expect(amplitude(samples, 7_000)).toBeWithin(0.235, 0.255)
})

test.each(
  ways.flatMap((way) =>
    [
      ['no bytes', Buffer.alloc(0), 'it is empty'],
      ['text', Buffer.from('hello, this is text'), 'it is not a known kind of audio file'],
      ['a WAV header without samples', wav(new Int16Array()), /it holds no sound|it is damaged/],
      [
        'an mp3 that ends in its first frame',
        readFileSync(fixture('tone.mp3')).subarray(0, 150),
        /no audio file|damaged|no sound/,
      ],
      ['a rate of gigahertz', wav(new Int16Array(1000), { sampleRateHz: 0x3fff_0000 }), /its sample rate is|memory/],
      ['a film without sound', readFileSync(fixture('silent-film.webm')), 'it has no audio track'],
      ['an Ogg file without pages', readFileSync(fixture('vorbis.ogg')).subarray(0, 40), /it is damaged|no audio/],
    ].map(([what, content, reason]) => ({ what, content, reason, ...way })),
  ),
)('$what is refused by $way', async ({ content, reason, programPath }) => {
  const message = await refusal(decode(fileOf(content as Uint8Array), { programPath }))
  expect(message).toMatch(reason as string)
  expect(message).toMatch(/^The file cannot be decoded: .*\. (Send|Install) /)
  expect(message).not.toContain(data)
})

/** Bytes that belong to no audio format. */
const junk = Uint8Array.from({ length: 40_000 }, (_, index) => (index * 7919) >> (index % 7))

test.each(
  eachWay([
    'tone.mp3',
    'vorbis.ogg',
    'opus.ogg',
    'tone.flac',
    'tone.webm',
    'float.wav',
    'tone.m4a',
    'tone.aac',
    'tone.mpegts',
  ]),
)(
  'most of a file is no recording, or another one behind the first: $name is refused by $way',
  async ({ name, programPath }) => {
    const content = readFileSync(fixture(name))
    for (const rest of [junk, new Uint8Array(40_000)]) {
      const message = await refusal(decode(fileOf(Buffer.concat([content, rest])), { programPath }))
      expect(message).toStartWith('The file cannot be decoded: most of it is no part of one recording. Send ')
    }
  },
)

test.each(eachWay(['tone.mp3', 'vorbis.ogg', 'tone.flac', 'tone.webm', 'float.wav']))(
  'recordings behind each other are decoded to the end, or refused: $name by $way',
  async ({ name, programPath }) => {
    const content = readFileSync(fixture(name))
    const once = (await decode(fixture(name), { programPath })).length
    const decoding = decode(fileOf(Buffer.concat([content, content, content])), { programPath })
    const samples = await decoding.catch(() => undefined)
    if (samples === undefined) expect(await refusal(decoding)).toContain('most of it is no part of one recording')
    else expect(samples.length).toBeGreaterThan(2.8 * once)
  },
)

test.each([
  ...['tone.mp3', 'vorbis.ogg', 'tone.flac', 'tone.webm', 'mulaw.wav'].map((name) => ({ name, ...builtIn })),
  ...eachWay(['tone.flac']).slice(1),
])('of $name, cut near its end, what is there is decoded by $way', async ({ name, programPath }) => {
  const whole = readFileSync(fixture(name))
  const samples = await decode(fileOf(whole.subarray(0, Math.floor(whole.length * 0.9))), { programPath })
  expect(samples.length / audioSampleRateHz).toBeWithin(0.1, 0.5)
})

test('whatever bytes of a file change, it is decoded or refused', async () => {
  let state = 7
  const random = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % limit
  }
  for (const name of ['tone.mp3', 'vorbis.ogg', 'opus.ogg', 'tone.flac', 'tone.webm', 'float.wav']) {
    const content = readFileSync(fixture(name))
    for (let change = 0; change < 12; change++) content[4 + random(content.length - 4)] = random(256)
    const decoding = decode(fileOf(content), builtIn)
    const samples = await decoding.catch(() => undefined)
    if (samples === undefined) await refusal(decoding)
  }
})

test('a recording beyond twelve hours is refused as soon as it is', async () => {
  const megabyte = new Uint8Array(2 ** 20)
  let read = 0
  async function* endless() {
    for (;;) {
      read += megabyte.length
      yield megabyte
    }
  }
  const passedOn = async () => {
    for await (const piece of admitted(endless(), undefined)) expect(piece).toBe(megabyte)
  }
  expect(await refusal(passedOn())).toBe('The file cannot be decoded: it is longer than 12 hours. Send it in parts.')
  expect(read / 32_000 / 3600).toBeWithin(12, 12.01)
})

test.each(ways)('decoding by $way that takes too long ends', async (way) => {
  expect(await refusal(decode(fixture('tone.mp3'), { ...way, withinMs: () => 1 }))).toContain('decoding takes too long')
})

test.each(ways)('a request that is aborted while it is decoded by $way leaves nothing', async (way) => {
  const controller = new AbortController()
  const spool = new Spool({ ...spoolDefaults, folder })
  const write: Spool['write'] = async (pieces, share) => {
    async function* watched() {
      for await (const piece of pieces) {
        yield piece
        controller.abort(new Error('the client is gone'))
      }
    }
    return await spool.write(watched(), share)
  }
  const long = { seconds: 60 }
  const decoding = decode(fileOf(wav(tone(440, long))), { ...way, spool: { write } }, controller.signal)
  await expect(decoding).rejects.toThrow('the client is gone')
})

/** Returns the number of this process's worker threads. The runtime's own threads have other names. */
function workerThreads(): number {
  const names = readdirSync('/proc/self/task').map((id) => {
    try {
      return readFileSync(`/proc/self/task/${id}/comm`, 'utf8').trim()
    } catch {
      return 'ended'
    }
  })
  return names.filter((name) => name === 'Worker').length
}

test('the thread that decodes ends with its file', async () => {
  const pieces = decodeBuiltIn(
    { path: fixture('float.wav'), container: 'wav', startByte: 0 },
    new AbortController().signal,
  )
  await pieces.next()
  expect(workerThreads()).toBeGreaterThan(0)
  await Array.fromAsync(pieces)
  await until('no thread is left', workerThreads, (count) => count === 0)
})

test('a thread that does not answer holds up no request that is aborted', async () => {
  const path = join(data, 'pipe')
  Bun.spawnSync(['mkfifo', path])
  const controller = new AbortController()
  const next = decodeBuiltIn({ path, container: 'wav', startByte: 0 }, controller.signal).next()
  controller.abort(new Error('the client is gone'))
  const outcome = await Promise.race([next.catch(String), Bun.sleep(5_000)])
  closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK))
  expect(outcome).toBe('Error: the client is gone')
})

test('what a recording says of its length can refuse it, before anything is decoded', async () => {
  const decoder = new AudioDecoder({ spool: { write: () => Promise.reject(new Error('decoded')) }, parallel: 1 })
  const request = { accountId: 'a', signal: new AbortController().signal }
  const admit = (seconds: number) => {
    throw new Error(`too long: ${seconds.toFixed(2)} s`)
  }
  const refused = decoder.decode({ ...request, path: fixture('tone.flac'), admit })
  await expect(refused).rejects.toThrow('too long: 0.50 s')
  await expect(decoder.decode({ ...request, path: fixture('tone.aac'), admit })).rejects.toThrow('decoded')
})

test('a full spool is no fault of the recording', async () => {
  const spool = new Spool({ ...spoolDefaults, folder, limitBytes: 10 })
  await expect(decode(fixture('tone.mp3'), { ...builtIn, spool })).rejects.toMatchObject({ code: 'overloaded' })
})

test('where ffmpeg cannot be started, what is built in decodes', async () => {
  const programPath = join(data, 'broken')
  mkdirSync(programPath)
  writeFileSync(join(programPath, 'ffmpeg'), '#!/nowhere/sh\n')
  chmodSync(join(programPath, 'ffmpeg'), 0o755)
  expectTone(await decode(fixture('tone.mp3'), { programPath }))
})
