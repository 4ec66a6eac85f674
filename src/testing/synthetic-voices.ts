import { audioSampleRateHz } from '../core/speech.ts'

/** A voice made by a source and filters: pulses at a pitch, shaped by the resonances of a vocal tract. */
export interface SyntheticVoice {
  readonly pitchHz: number
  /** Factor on the resonances. Above 1 means a shorter vocal tract than usual. */
  readonly resonanceScale: number
}

export const lowVoice: SyntheticVoice = { pitchHz: 105, resonanceScale: 0.95 }
export const highVoice: SyntheticVoice = { pitchHz: 215, resonanceScale: 1.17 }

/** Resonances of vowels, in hertz. */
const vowels = [
  [730, 1090, 2440],
  [270, 2290, 3010],
  [300, 870, 2240],
  [530, 1840, 2480],
  [570, 840, 2410],
  [660, 1720, 2410],
] as const

/** Returns babble: syllables of a vowel, half of them after a hiss. The same seed gives the same samples. */
export function babble({ pitchHz, resonanceScale }: SyntheticVoice, seconds: number, seed: number): Float32Array {
  const random = randomNumbers(seed)
  const samples = new Float32Array(Math.round(seconds * audioSampleRateHz))
  const before = [
    [0, 0],
    [0, 0],
    [0, 0],
  ]
  let phase = 0
  for (let start = 0; start < samples.length; ) {
    const length = Math.min(samples.length - start, Math.round((0.12 + 0.12 * random()) * audioSampleRateHz))
    const vowel = vowels[Math.floor(random() * vowels.length)] ?? vowels[0]
    const stepsASample = (pitchHz * (0.9 + 0.2 * random())) / audioSampleRateHz
    const hissSamples = random() < 0.5 ? 800 : 0
    for (let index = 0; index < length; index++) {
      phase += stepsASample
      const pulse = phase >= 1 ? 1 : 0
      phase -= pulse
      const source = index < hissSamples ? (random() - 0.5) / 2 : pulse + (random() - 0.5) / 50
      const sound = vowel.reduce((sum, hertz, at) => {
        const radius = Math.exp((-Math.PI * (60 + 40 * at)) / audioSampleRateHz)
        const turn = 2 * radius * Math.cos((2 * Math.PI * hertz * resonanceScale) / audioSampleRateHz)
        const [last = 0, secondLast = 0] = before[at] ?? []
        const output = source * (1 - radius) + turn * last - radius * radius * secondLast
        before[at] = [output, last]
        return sum + output / (at + 1)
      }, 0)
      samples[start + index] = sound * Math.min(1, index / 400, (length - index) / 400)
    }
    start += length
  }
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1e-9)
  return samples.map((sample) => sample / loudest / 2)
}

export interface SyntheticTurn {
  readonly voice: SyntheticVoice
  readonly startSeconds: number
  readonly endSeconds: number
}

/** Returns turns of voices, 0.4 s apart, as 16-bit samples with a little noise. */
export function syntheticDialogue(lengths: readonly (readonly [voice: SyntheticVoice, seconds: number])[]): {
  readonly samples: Int16Array
  readonly turns: readonly SyntheticTurn[]
} {
  const pauseSeconds = 0.4
  let end = pauseSeconds
  const turns = lengths.map(([voice, seconds]) => {
    const startSeconds = end
    end += seconds + pauseSeconds
    return { voice, startSeconds, endSeconds: startSeconds + seconds }
  })
  const random = randomNumbers(7)
  const sound = Float32Array.from({ length: Math.round(end * audioSampleRateHz) }, () => (random() - 0.5) / 500)
  for (const [index, { voice, startSeconds, endSeconds }] of turns.entries()) {
    const start = Math.round(startSeconds * audioSampleRateHz)
    for (const [at, sample] of babble(voice, endSeconds - startSeconds, index + 1).entries()) {
      sound[start + at] = (sound[start + at] ?? 0) + sample
    }
  }
  return { samples: Int16Array.from(sound, (sample) => Math.round(sample * 32_767)), turns }
}

function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}
