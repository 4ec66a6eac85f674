/** Containers and stated lengths of files by real encoders, and of files that lie. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileBytes } from './file-bytes.ts'
import { identifyAudio } from './identify-audio.ts'
import { statedLengthSeconds } from './stated-length.ts'

const folder = join(import.meta.dir, '..', 'fixtures')
const fixture = (name: string) => readFileSync(join(folder, name))

/** Returns a file of these bytes that counts how often it is read. */
function fileOf(content: Uint8Array): FileBytes & { reads: number } {
  return {
    sizeBytes: content.length,
    reads: 0,
    read(offset, length) {
      this.reads++
      const bytes = content.slice(Math.min(offset, content.length), Math.min(offset + length, content.length))
      return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    },
  }
}

function describe(content: Uint8Array) {
  const file = fileOf(content)
  const audio = identifyAudio(file)
  return { container: audio?.container, seconds: audio && statedLengthSeconds(file, audio), reads: file.reads }
}

const lengths: readonly (readonly [name: string, container: string, seconds: number | undefined])[] = [
  ['alaw.wav', 'wav', 0.5],
  ['float.wav', 'wav', 0.5],
  ['tone.mp3', 'mp3', 0.5],
  ['tone.m4a', 'mp4', 0.5],
  ['index-first.m4a', 'mp4', 0.5],
  ['film.mp4', 'mp4', 0.5],
  ['vorbis.ogg', 'ogg', 0.5],
  ['opus.ogg', 'ogg', 0.5],
  ['tone.flac', 'flac', 0.5],
  ['tone.webm', 'webm', 0.5],
  ['silent-film.webm', 'webm', 0.5],
  ['tone.aac', 'aac', undefined],
  ['tone.mpegts', 'ts', undefined],
  ['tone.avi', 'avi', undefined],
  ['tone.aiff', 'aiff', undefined],
  ['tone.caf', 'caf', undefined],
  ['tone.au', 'au', undefined],
  ['tone.wma', 'asf', undefined],
  ['tone.flv', 'flv', undefined],
  ['tone.w64', 'w64', undefined],
  ['tone.mpg', 'mpeg', undefined],
]

test.each(lengths)('%s is %s of %p seconds', (name, container, seconds) => {
  const found = describe(fixture(name))
  expect(found.container).toBe(container as never)
  if (seconds === undefined) expect(found.seconds).toBeUndefined()
  else expect(found.seconds).toBeWithin(seconds - 0.01, seconds + 0.1)
})

/** Returns an ID3 tag of this size, which programs put before the audio. */
function id3(bytes: number): Uint8Array {
  const size = [21, 14, 7, 0].map((shift) => (bytes >> shift) & 127)
  return Buffer.concat([Buffer.from([...Buffer.from('ID3'), 4, 0, 0, ...size]), new Uint8Array(bytes)])
}

test.each(['tone.mp3', 'tone.flac', 'tone.aac', 'alaw.wav'])('%s is known behind tags with a picture', (name) => {
  const plain = describe(fixture(name))
  const tagged = describe(Buffer.concat([id3(300_000), id3(10), fixture(name)]))
  expect({ ...tagged, reads: 0 }).toEqual({ ...plain, reads: 0 })
})

test('an mp3 that begins with the end of a frame is known, and one without counts is measured by its bit rate', () => {
  // The first frame, which only holds counts, is missing.
  const content = fixture('tone.mp3')
  const cut = content.subarray(content.indexOf('Info') + 40)
  const { container, seconds } = describe(cut)
  expect(container).toBe('mp3')
  expect(seconds).toBeWithin(0.45, 0.6)
})

/** Returns samples that contain two frame headers at the right distance by chance. */
function chance(bytes: number): Uint8Array {
  const content = Buffer.alloc(bytes)
  const frame = fixture('tone.aac').subarray(0, 7)
  const lengthBytes = (frame.readUInt32BE(2) >>> 5) & 0x1fff
  for (const at of [300, 300 + lengthBytes]) content.set(frame, at)
  return content
}

test.each([
  ['nothing', Buffer.alloc(0)],
  ['one byte', Buffer.from([0xff])],
  ['text', Buffer.from('These are words, and no recording. '.repeat(1000))],
  ['zeros', Buffer.alloc(200_000)],
  ['ones', Buffer.alloc(200_000, 0xff)],
  ['a picture', Buffer.from('\x89PNG\r\n\x1a\n'.repeat(30), 'latin1')],
  ['uncompressed audio that holds two frame headers by chance', chance(4000)],
  ['uncompressed audio that ends in such a frame', chance(460)],
  ['a playlist', Buffer.from('#EXTM3U\n#EXTINF:1\nfile:///etc/passwd\n')],
  ['a list for concat', Buffer.from('ffconcat version 1.0\nfile /etc/passwd\n')],
  ['another kind of RIFF', Buffer.from('RIFF\x10\x00\x00\x00WEBPVP8 ')],
  ['a tag alone', id3(100)],
  ['a tag that is longer than the file', id3(100).subarray(0, 50)],
])('%s is no audio', (_, content) => {
  expect(describe(content).container).toBeUndefined()
})

/** Returns a WAV file's header with these sizes, and some samples. */
function wav({ id = 'RIFF', dataSize = 16_000, bytesPerSecond = 16_000 }): Uint8Array {
  const header = Buffer.alloc(44)
  header.write(`${id}\0\0\0\0WAVEfmt `)
  header.writeUInt32LE(16, 16)
  header.writeUInt32LE(bytesPerSecond, 28)
  header.write('data', 36)
  header.writeUInt32LE(dataSize, 40)
  return Buffer.concat([header, Buffer.alloc(8_000)])
}

test.each([
  ['as long as it says', wav({ dataSize: 8_000 }), 0.5],
  ['half of what it says, since it was cut', wav({}), 0.5],
  ['all there is, since a stream does not know', wav({ dataSize: 0xffff_ffff }), 0.5],
  ['all there is, since nobody went back to write it', wav({ dataSize: 0 }), 0.5],
  ['all there is, since the size is elsewhere', wav({ id: 'RF64', dataSize: 0xffff_ffff }), 0.5],
  ['unknown at no bytes a second', wav({ bytesPerSecond: 0 }), undefined],
])('a WAV file is %s', (_, content, seconds) => {
  expect(describe(content)).toMatchObject({ container: 'wav', seconds })
})

test('a Matroska file that was recorded live says nothing of its length', () => {
  const content = Buffer.from(fixture('tone.webm'))
  content[content.indexOf(Buffer.from([0x44, 0x89]))] = 0x43
  expect(describe(content)).toMatchObject({ container: 'webm', seconds: undefined })
})

test('whatever bytes change, lengths are numbers above zero or unknown, and few reads find them', () => {
  let state = 1
  const random = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % limit
  }
  for (const name of readdirSync(folder).filter((each) => !each.endsWith('.sh'))) {
    const content = fixture(name)
    for (let round = 0; round < 300; round++) {
      const changed = Buffer.from(content)
      for (let change = 0; change < 1 + random(8); change++) {
        const at = random(2) === 0 ? random(200) : random(changed.length)
        changed[at] = [0, 255, random(256)][random(3)] ?? 0
      }
      const { seconds, reads } = describe(random(4) === 0 ? changed.subarray(0, random(changed.length)) : changed)
      if (seconds !== undefined && !(seconds > 0 && Number.isFinite(seconds))) throw new Error(`${name}: ${seconds}`)
      if (reads > 20_000) throw new Error(`${name}: ${reads} reads`)
    }
  }
})
