import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileBytes } from './file-bytes.ts'
import { identifyAudio } from './identify-audio.ts'
import { skippedShare } from './skipped-share.ts'

const fixture = (name: string) => readFileSync(join(import.meta.dir, '..', 'fixtures', name))
const noise = (bytes: number) => Uint8Array.from({ length: bytes }, (_, index) => (index * 7919) >> (index % 7))

function shareOf(...parts: Uint8Array[]): number | undefined {
  const content = Buffer.concat(parts)
  const file: FileBytes = {
    sizeBytes: content.length,
    read: (offset, length) => {
      const bytes = Uint8Array.from(content.subarray(offset, offset + length))
      return new DataView(bytes.buffer)
    },
  }
  const audio = identifyAudio(file)
  return audio && skippedShare(file, audio)
}

const framed = ['tone.mp3', 'tone.aac', 'vorbis.ogg', 'opus.ogg', 'tone.flac', 'tone.mpegts']
const listed = ['float.wav', 'mulaw.wav', 'tone.m4a', 'index-first.m4a', 'film.mp4', 'tone.webm', 'film.webm']
const others = ['tone.aiff', 'tone.caf', 'tone.avi', 'tone.au', 'tone.wma']

test.each([...framed, ...listed, ...others])('nothing of %s is skipped', (name) => {
  expect(shareOf(fixture(name))).toBeLessThan(0.02)
})

test.each([...framed, ...listed, 'tone.aiff', 'tone.caf', 'tone.avi'])('what follows %s is skipped', (name) => {
  const content = fixture(name)
  const share = 60_000 / (60_000 + content.length)
  // FLAC's last frame is taken to end where the next one begins, or at the largest frame size.
  for (const rest of [noise(60_000), new Uint8Array(60_000)]) expect(shareOf(content, rest)).toBeWithin(share - 0.05, 1)
})

test.each(['float.wav', 'tone.m4a', 'tone.webm', 'tone.aiff', 'tone.caf', 'tone.avi'])(
  'of two recordings in one file, readers of %s skip the second',
  (name) => expect(shareOf(fixture(name), fixture(name))).toBeWithin(0.49, 0.51),
)

test.each(['tone.mp3', 'tone.aac', 'vorbis.ogg', 'tone.mpegts'])('readers of %s go on to the second', (name) => {
  expect(shareOf(fixture(name), fixture(name))).toBeLessThan(0.05)
})

test('a long file is looked at in some places alone', () => {
  const long = Buffer.concat(Array.from({ length: 2_000 }, () => fixture('tone.mp3').subarray(-2_000)))
  expect(shareOf(long)).toBeLessThan(0.1)
  expect(shareOf(long, noise(long.length))).toBeWithin(0.4, 0.6)
})

test('frames in another container, with other bytes between them, are skipped', () => {
  const frames = fixture('tone.aac')
  const parts: Uint8Array[] = []
  for (let at = 0; at < 1_000; at += 60) parts.push(Uint8Array.of(0x47, 1, 2, 3), frames.subarray(at, at + 60))
  expect(shareOf(frames.subarray(0, 1_000), ...Array.from({ length: 40 }, () => parts).flat())).toBeGreaterThan(0.6)
})

test('tags and pictures are no sound, and are not missed', () => {
  const tag = Buffer.concat([Buffer.from('ID3\x04\0\0\0\x02\x71\0', 'latin1'), new Uint8Array(2 * 16_384 + 0x71 * 128)])
  expect(shareOf(tag, fixture('tone.mp3'))).toBeLessThan(0.02)
  const flac = fixture('tone.flac')
  // Block of padding as long as the rest of the file, behind STREAMINFO.
  const block = Buffer.alloc(4 + 100_000)
  block.writeUInt32BE(0x01000000 + 100_000)
  expect(shareOf(flac.subarray(0, 42), block, flac.subarray(42))).toBeLessThan(0.05)
})

test('whatever bytes change, the share is a number from 0 to 1', () => {
  let state = 7
  const random = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % limit
  }
  for (const name of [...framed, ...listed, ...others]) {
    for (let round = 0; round < 20; round++) {
      const content = Buffer.from(fixture(name))
      for (let change = 0; change < 8; change++) content[random(content.length)] = random(256)
      expect(shareOf(content.subarray(0, 1 + random(content.length))) ?? 0).toBeWithin(0, 1.000_001)
    }
  }
})
