import { expect, test } from 'bun:test'
import { audioSampleRateHz } from '../../../src/core/speech.ts'
import { makeDialogue, seeds } from './dialogue.ts'
import { readHeldOut } from './held-out.ts'
import { resample } from './resample.ts'
import { toPcm, wavFile } from './wav.ts'

const sound = tone(440, audioSampleRateHz, 10)

/** Returns a tone of a quarter of a second per word. */
function speak(text: string) {
  const words = text
    .split(' ')
    .map((word, index) => ({ text: word, startSeconds: index / 4, endSeconds: (index + 1) / 4 }))
  return { words, samples: sound.subarray(0, (words.length / 4) * audioSampleRateHz) }
}

function tone(hertz: number, sampleRateHz: number, seconds: number): Float32Array {
  const count = Math.round(seconds * sampleRateHz)
  return Float32Array.from({ length: count }, (_, index) => Math.sin((2 * Math.PI * hertz * index) / sampleRateHz))
}

const heldOut = readHeldOut()
const make = (seed: number, speakerCount: number) => makeDialogue(speak, heldOut, { seed, speakerCount })

test('sentences and variants of voices are held out', () => {
  expect(heldOut.sentences.length).toBeGreaterThanOrEqual(50)
  expect(heldOut.variants).toContain('m5')
})

test.each([2, 3])('a dialogue of %d speakers lasts one to two minutes and has turns of all', (speakerCount) => {
  const { samples, turns, words } = make(seeds.test, speakerCount)
  expect(samples.length / audioSampleRateHz).toBeWithin(60, 120)
  expect(new Set(turns.map(({ speaker }) => speaker)).size).toBe(speakerCount)
  for (const { speaker, startSeconds, endSeconds } of words) {
    const isWithin = (turn: (typeof turns)[number]) =>
      turn.speaker === speaker && turn.startSeconds <= startSeconds && endSeconds <= turn.endSeconds + 1e-6
    expect(turns.some(isWithin)).toBe(true)
  }
})

test('there is sound in turns and none outside of them', () => {
  const { samples, turns } = make(seeds.test, 2)
  for (let index = 0; index < samples.length; index += audioSampleRateHz / 100) {
    const seconds = index / audioSampleRateHz
    const isNear = turns.some((turn) => turn.startSeconds < seconds + 0.02 && seconds - 0.02 < turn.endSeconds)
    const loudest = Math.max(...samples.subarray(index, index + audioSampleRateHz / 100))
    if (!isNear) expect(loudest).toBeLessThan(0.01)
    const isInside = turns.some((turn) => turn.startSeconds + 0.02 < seconds && seconds + 0.02 < turn.endSeconds)
    if (isInside) expect(loudest).toBeGreaterThan(0.02)
  }
})

test('some turns overlap, but not those of one speaker', () => {
  const { turns } = make(seeds.test, 3)
  const overlapping = turns.flatMap((one, index) =>
    turns.slice(index + 1).flatMap((other) => (other.startSeconds < one.endSeconds ? [{ one, other }] : [])),
  )
  expect(overlapping.length).toBeGreaterThan(0)
  for (const { one, other } of overlapping) expect(one.speaker).not.toBe(other.speaker)
})

test('the same seed makes the same dialogue, another one makes another', () => {
  const summary = (seed: number) => {
    const { samples, ...known } = make(seed, 2)
    return { ...known, samples: Bun.hash(samples.buffer) }
  }
  expect(summary(7)).toEqual(summary(7))
  expect(summary(7).turns).not.toEqual(summary(8).turns)
})

test('a tone has the same pitch at another sample rate, and one too high for it disappears', () => {
  const expected = tone(1000, 16_000, 0.5)
  const middle = resample(tone(1000, 22_050, 0.5), 22_050, 16_000).subarray(1000, 7000)
  middle.forEach((sample, index) => {
    expect(sample).toBeCloseTo(expected[index + 1000] ?? 0, 2)
  })
  expect(Math.max(...resample(tone(9500, 22_050, 0.5), 22_050, 16_000).subarray(1000, 7000))).toBeLessThan(0.01)
})

test('a WAV file holds the samples as 16-bit numbers', () => {
  const bytes = new DataView(wavFile(toPcm(Float32Array.of(0, 0.5, -1, 2)), 16_000).buffer)
  expect(bytes.byteLength).toBe(52)
  expect([0, 1, 2, 3].map((index) => bytes.getInt16(44 + index * 2, true))).toEqual([0, 16_384, -32_768, 32_767])
})
