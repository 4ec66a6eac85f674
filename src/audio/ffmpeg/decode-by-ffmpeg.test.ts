/** Programs named `ffmpeg` that misbehave. They are shell scripts, so that the tests need no real one. */
import { afterAll, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { containers } from '../container/identify-audio.ts'
import { decodeByFfmpeg } from './decode-by-ffmpeg.ts'
import { ffmpegWords } from './ffmpeg-words.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-ffmpeg-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Decodes by a program that is this shell script. */
function decodeBy(script: string, signal = new AbortController().signal) {
  const program = join(folder, 'ffmpeg')
  writeFileSync(program, `#!/bin/sh\n${script}\n`)
  chmodSync(program, 0o755)
  return decodeByFfmpeg(program, { path: join(folder, 'secret-name'), container: 'mp3' }, signal)
}

/** Returns all yielded bytes as text, and the generator's result. */
async function outcome(pieces: AsyncGenerator<Uint8Array, boolean>) {
  let text = ''
  for (;;) {
    const { done, value } = await pieces.next()
    if (done === true) return { text, isDone: value }
    text += new TextDecoder().decode(value)
  }
}

const refusal = (pieces: AsyncGenerator<Uint8Array, boolean>) =>
  outcome(pieces).then(
    () => undefined,
    (error: Error) => error.message,
  )

/** Reads the process id that the program prints first. Returns whether that process exists. */
async function firstId(pieces: AsyncGenerator<Uint8Array, boolean>): Promise<() => boolean> {
  const { value } = await pieces.next()
  const id = /^\d+/.exec(value instanceof Uint8Array ? new TextDecoder().decode(value) : '')?.[0]
  return () => existsSync(`/proc/${id}`)
}

test('what it prints is the audio', async () => {
  expect(await outcome(decodeBy('printf abcd'))).toEqual({ text: 'abcd', isDone: true })
})

test('it gets no environment, no input, little memory and time, and writes no files', async () => {
  const script = 'env; cat; ulimit -v; ulimit -t; ulimit -f; ulimit -c'
  const { text } = await outcome(decodeBy(script))
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => !/^(PWD|SHLVL|OLDPWD|_)=/.test(line))
  expect(lines).toEqual(['2097152', '1800', '0', '0'])
})

test('a file that breaks off counts as far as it goes', async () => {
  expect(await outcome(decodeBy('printf abcd; echo broken >&2; exit 69'))).toEqual({ text: 'abcd', isDone: true })
})

test.each([
  ['[mp3 @ 0x55d] Stream map matches no streams.', 'it has no audio track'],
  ['[mov @ 0x55d] moov atom not found', 'its index is missing, so it is cut short or damaged'],
  ['[SWR @ 0x55d] Rematrix is needed between 9 channels and mono', 'it has too many channels'],
  ['Error while opening decoder for input stream #0:0 : Invalid argument', 'its audio codec is not supported'],
  ["[h264 @ 0x55d] Codec (h264) not on whitelist 'aac'", 'it is damaged or cut short'],
  ['file:/data/spool/secret-name: Invalid data found', 'it is damaged or cut short'],
])('%p is told without names of files', async (complaint, reason) => {
  const message = await refusal(decodeBy(`echo "${complaint}" >&2; exit 1`))
  expect(message).toStartWith(`The file cannot be decoded: ${reason}. `)
  expect(message).not.toMatch(/secret|0x|spool/)
})

test('one that crashes has failed, whatever it printed before', async () => {
  const message = await refusal(decodeBy('printf abcd; kill -SEGV $$'))
  expect(message).toStartWith('The file cannot be decoded: the decoder failed. ')
})

test.each(['exit 127', 'exec /nowhere/ffmpeg'])('one that cannot be started is told apart: %s', async (script) => {
  expect(await outcome(decodeBy(`${script} 2>/dev/null`))).toEqual({ text: '', isDone: false })
})

test('one that complains without end ends', async () => {
  const message = await refusal(decodeBy('head -c 20000000 /dev/zero >&2; exit 1'))
  expect(message).toStartWith('The file cannot be decoded: it is damaged')
})

test('one that hangs is killed when its request is aborted', async () => {
  const controller = new AbortController()
  const pieces = decodeBy('echo $$; exec sleep 1000', controller.signal)
  const isRunning = await firstId(pieces)
  expect(isRunning()).toBe(true)
  const next = pieces.next()
  controller.abort(new Error('the client is gone'))
  await expect(next).rejects.toThrow('the client is gone')
  expect(isRunning()).toBe(false)
})

test('one that prints without end is killed when nobody reads on', async () => {
  const pieces = decodeBy('echo $$; exec cat /dev/zero')
  const isRunning = await firstId(pieces)
  expect(isRunning()).toBe(true)
  await pieces.return(true)
  expect(isRunning()).toBe(false)
})

test('a request that was aborted before starts nothing', async () => {
  const pieces = decodeBy('printf ab', AbortSignal.abort(new Error('gone')))
  await expect(pieces.next()).rejects.toThrow('gone')
})

test.each(containers)('a %s file is read by its own demuxer alone, from this machine, for its audio', (container) => {
  const words = ffmpegWords('/data/spool/upload', container)
  const after = (word: string) => words[words.indexOf(word) + 1]
  expect(after('-protocol_whitelist')).toBe('file,pipe')
  expect(after('-format_whitelist')).toBe(after('-f'))
  expect(after('-format_whitelist')).not.toMatch(/hls|concat|image|playlist|,/)
  expect(after('-codec_whitelist')).not.toMatch(/png|jpeg|gif|h264|srt|ass/)
  expect(after('-i')).toBe('file:/data/spool/upload')
})
