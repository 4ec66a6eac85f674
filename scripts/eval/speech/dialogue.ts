import { audioSampleRateHz } from '../../../src/core/speech.ts'
import { RandomWords } from '../../../src/testing/gguf/random-words.ts'
import type { EspeakVoice, SpokenSentence } from './espeak.ts'
import type { HeldOut } from './held-out.ts'
import type { TimedWord } from './timed-words.ts'
import type { LabelledTurn, Span } from './turns.ts'

/** Recording with known words, speakers and times. */
export interface Dialogue {
  /** One channel of `audioSampleRateHz`. */
  readonly samples: Float32Array
  /** One turn per sentence. */
  readonly turns: readonly LabelledTurn[]
  readonly words: readonly TimedWord[]
}

/** Seeds by purpose, so that nothing is measured on the data it was tuned on. */
export const seeds = { tuning: 1, test: 1001 } as const

const accents = ['gmw/en-US', 'gmw/en', 'gmw/en-GB-scotland', 'gmw/en-GB-x-rp']
const noiseAmplitude = 0.001
/** Amplitude of the loudest sample. */
const peak = 0.8

interface Speaker {
  readonly label: string
  readonly voice: EspeakVoice
  readonly gain: number
}

/** Random whole numbers and shares from a seed. */
export class Dice {
  readonly #words: RandomWords

  constructor(seed: number) {
    this.#words = new RandomWords(seed)
  }

  between(least: number, limit: number): number {
    return least + (this.#words.below(1_000_000) / 1_000_000) * (limit - least)
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.#words.below(items.length)]
    if (item === undefined) throw new Error('there is nothing to pick from')
    return item
  }

  /** Numbers of -1 to 1. */
  noise(count: number): Float32Array {
    const words = new Uint32Array(count)
    this.#words.fill(words, 0)
    return Float32Array.from(words, (word) => word / 2 ** 31 - 1)
  }
}

/** Returns a voice of this variant that no training hears. */
export function heldOutVoice(dice: Dice, variant: string): EspeakVoice {
  return {
    name: `${dice.pick(accents)}+${variant}`,
    wordsPerMinute: Math.round(dice.between(135, 190)),
    pitch: Math.round(dice.between(32, 72)),
  }
}

export interface DialoguePlan {
  readonly seed: number
  readonly speakerCount: number
  /** Approximate length. Defaults to 60 to 105 seconds. */
  readonly lengthSeconds?: number
}

/**
 * Returns a dialogue, the same for the same seed: turns of one to three sentences, pauses of 0.2 to 1.2 seconds, one
 * turn in seven that starts before the last one has ended, speakers up to 10 dB apart, and a little noise.
 */
export function makeDialogue(
  speak: (text: string, voice: EspeakVoice) => SpokenSentence,
  heldOut: HeldOut,
  { seed, speakerCount, lengthSeconds }: DialoguePlan,
): Dialogue {
  const dice = new Dice(seed)
  const speakers = makeSpeakers(dice, heldOut.variants, speakerCount)
  const limitSeconds = lengthSeconds ?? dice.between(60, 105)
  const track = new Float32Array(audioSampleRateHz * (limitSeconds + 60))
  const turns: LabelledTurn[] = []
  const words: TimedWord[] = []
  let atSeconds = dice.between(0.2, 1)
  let last: Speaker | undefined
  while (atSeconds < limitSeconds) {
    // An earlier turn may end after the last one.
    atSeconds = turns.reduce((latest, { endSeconds }) => Math.max(latest, endSeconds), atSeconds)
    // Everybody speaks in the first round.
    const silent = speakers.filter(({ label }) => !turns.some((turn) => turn.speaker === label))
    const speaker = dice.pick(silent.length > 0 ? silent : speakers.filter((each) => each !== last))
    const isEarly = last !== undefined && dice.between(0, 1) < 1 / 7
    atSeconds += isEarly ? -dice.between(0.3, 1) : dice.between(0.2, 1.2)
    const sentenceCount = dice.pick([1, 1, 2, 3])
    for (let sentence = 0; sentence < sentenceCount; sentence++) {
      const spoken = speak(dice.pick(heldOut.sentences), speaker.voice)
      add(track, spoken.samples, Math.round(atSeconds * audioSampleRateHz), speaker.gain)
      const label = { speaker: speaker.label }
      words.push(...spoken.words.map((word) => ({ ...label, ...moved(word, atSeconds) })))
      const endSeconds = atSeconds + spoken.samples.length / audioSampleRateHz
      turns.push({ ...label, startSeconds: atSeconds, endSeconds })
      atSeconds = endSeconds + (sentence + 1 < sentenceCount ? dice.between(0.2, 0.6) : 0)
    }
    last = speaker
  }
  const end = Math.round((atSeconds + 0.5) * audioSampleRateHz)
  return { samples: finished(track.subarray(0, end), dice), turns, words }
}

function makeSpeakers(dice: Dice, variants: readonly string[], count: number): Speaker[] {
  const left = [...variants]
  return Array.from({ length: count }, (_, index) => {
    const variant = dice.pick(left)
    left.splice(left.indexOf(variant), 1)
    return { label: `S${index}`, voice: heldOutVoice(dice, variant), gain: 10 ** (-dice.between(0, 10) / 20) }
  })
}

function moved<Timed extends Span>(span: Timed, seconds: number): Timed {
  return { ...span, startSeconds: span.startSeconds + seconds, endSeconds: span.endSeconds + seconds }
}

function add(track: Float32Array, samples: Float32Array, at: number, gain: number): void {
  for (let index = 0; index < samples.length; index++) {
    track[at + index] = (track[at + index] ?? 0) + (samples[index] ?? 0) * gain
  }
}

function finished(samples: Float32Array, dice: Dice): Float32Array {
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  const noise = dice.noise(samples.length)
  return samples.map((sample, index) => (sample * peak) / loudest + (noise[index] ?? 0) * noiseAmplitude)
}
