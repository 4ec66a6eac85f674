import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Spool, spoolDefaults } from '../spool.ts'
import { AudioDecoder } from './audio-decoder.ts'

const data = mkdtempSync(join(tmpdir(), 'inferd-audio-'))
afterAll(() => rmSync(data, { recursive: true }))

const folder = join(data, 'spool')
const spool = new Spool({ folder, ...spoolDefaults })
const request = { accountId: 'a', signal: new AbortController().signal }

function wav(samples: Int16Array): Uint8Array {
  const header = new DataView(new ArrayBuffer(44))
  const words: [number, string | number, boolean?][] = [
    [0, 'RIFF'],
    [4, 36 + samples.byteLength],
    [8, 'WAVEfmt '],
    [16, 16],
    [20, 1, true],
    [22, 1, true],
    [24, 16_000],
    [28, 32_000],
    [32, 2, true],
    [34, 16, true],
    [36, 'data'],
    [40, samples.byteLength],
  ]
  for (const [offset, value, isShort] of words) {
    if (typeof value === 'string') new Uint8Array(header.buffer).set(Buffer.from(value), offset)
    else if (isShort === true) header.setUint16(offset, value, true)
    else header.setUint32(offset, value, true)
  }
  return Buffer.concat([new Uint8Array(header.buffer), new Uint8Array(samples.buffer)])
}

test('a decoded recording is a file of samples until it is disposed of', async () => {
  const path = join(data, 'recording')
  writeFileSync(path, wav(Int16Array.of(1, -2, 3)))
  {
    await using audio = await new AudioDecoder({ spool }).decode({ ...request, path })
    expect(audio.sampleCount).toBe(3)
    expect(new Int16Array(readFileSync(audio.path).buffer)).toEqual(Int16Array.of(1, -2, 3))
  }
  expect(readdirSync(folder)).toEqual([])
})

test('what cannot be read is `invalid_audio`, of the parameter `file`', async () => {
  const path = join(data, 'text.mp3')
  writeFileSync(path, 'no audio at all')
  const decoding = new AudioDecoder({ spool }).decode({ ...request, path })
  await expect(decoding).rejects.toMatchObject({ kind: 'invalid_request', code: 'invalid_audio', param: 'file' })
  expect(readdirSync(folder)).toEqual([])
})
