/**
 * Cuts a recording into chunks that a recogniser takes, at pauses where there are some. Pure: it is told window by window
 * whether somebody speaks. Silence between chunks is in none of them.
 *
 * 1. Speech that pauses for less than `pauseSeconds` is one stretch; stretches shorter than `leastStretchSeconds` are noise.
 * 2. Stretches are joined into a chunk until it is `enoughSeconds` long, or a gap of `gapSeconds` follows.
 * 3. A chunk that reaches `limitSeconds` is cut in the longest pause of its second half, however short. Where there is none,
 *    in its quietest window.
 */
import { audioSampleRateHz } from '../../../core/speech.ts'

/** Samples from the beginning of the recording, the second not included. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/** What is recognised in one go: some stretches of speech, with a little of what surrounds them. */
export interface Chunk extends Stretch {
  /** At least one, in order. */
  readonly speech: readonly Stretch[]
}

export interface CutRules {
  readonly enoughSeconds: number
  readonly limitSeconds: number
}

/** Samples of a window, as voice activity models of Silero's shape want them. */
export const windowSamples = 512

const pauseWindows = inWindows(0.2)
const gapWindows = inWindows(1.5)
/** Recognisers hear more of what begins after some silence: 20.9 to 24.5 % wrong words with 0.5 to 0.05 s (starter, 10 minutes). */
const paddingWindows = inWindows(0.4)
/** Detectors say that somebody speaks when they have heard it for so long. */
const onsetWindows = 1
const leastStretchWindows = inWindows(0.1) + onsetWindows

/** All times are in windows. */
export class SpeechCutter {
  readonly #enough: number
  readonly #limit: number
  /** Windows heard so far. */
  #heard = 0
  /** Where the next chunk may begin. */
  #floor = 0
  /** Of the next chunk; closed ones. */
  #stretches: Stretch[] = []
  /** Speech that goes on. */
  #open: { readonly start: number; end: number } | undefined
  /** Of the windows from `#floor` on. */
  #windows: { readonly isSpeech: boolean; readonly level: number }[] = []

  constructor({ enoughSeconds, limitSeconds }: CutRules) {
    this.#enough = inWindows(enoughSeconds)
    this.#limit = inWindows(limitSeconds)
  }

  /** Hears the next window; `level` grows with its loudness. Returns a chunk that ends before it or with it. */
  add(isSpeech: boolean, level: number): Chunk | undefined {
    const at = this.#heard++
    this.#windows.push({ isSpeech, level })
    if (isSpeech) {
      if (this.#open === undefined) this.#open = { start: Math.max(this.#floor, at - onsetWindows), end: at + 1 }
      else this.#open.end = at + 1
      return this.#heard - this.#start() >= this.#limit ? this.#cutThrough() : undefined
    }
    if (this.#open !== undefined && this.#heard - this.#open.end >= pauseWindows) this.#close()
    const end = this.#stretches.at(-1)?.end
    if (this.#open !== undefined) return undefined
    if (end === undefined) {
      this.#forget(this.#heard - paddingWindows)
      return undefined
    }
    const isEnough = end - this.#start() >= this.#enough || this.#heard - end >= gapWindows
    return isEnough ? this.#cut(Math.min(end + paddingWindows, this.#heard)) : undefined
  }

  /** The recording ends. */
  end(): Chunk | undefined {
    this.#close()
    const end = this.#stretches.at(-1)?.end
    return end === undefined ? undefined : this.#cut(Math.min(end + paddingWindows, this.#heard))
  }

  #start(): number {
    return this.#stretches[0]?.start ?? this.#open?.start ?? this.#heard
  }

  #close(): void {
    if (this.#open !== undefined && this.#open.end - this.#open.start >= leastStretchWindows)
      this.#stretches.push(this.#open)
    this.#open = undefined
  }

  /** Cuts where speech goes on; what follows belongs to the next chunk. */
  #cutThrough(): Chunk | undefined {
    const start = this.#start()
    const at = start + this.#bestCut(this.#windows.slice(start - this.#floor))
    const all = [...this.#stretches, ...(this.#open === undefined ? [] : [this.#open])]
    const after = all.filter(({ end }) => end > at).map((each) => ({ start: Math.max(each.start, at), end: each.end }))
    this.#stretches = all.filter((each) => each.start < at).map((each) => ({ ...each, end: Math.min(each.end, at) }))
    const chunk = this.#cut(at)
    this.#open = after.pop()
    this.#stretches = after
    return chunk
  }

  /** In the middle of the longest pause of the second half, or before its quietest window. */
  #bestCut(windows: readonly { readonly isSpeech: boolean; readonly level: number }[]): number {
    const first = Math.floor(windows.length / 2)
    let pause = { start: 0, end: 0 }
    let current = pause
    let quietest = first
    for (const [index, { isSpeech, level }] of windows.entries()) {
      if (index < first) continue
      if (level < (windows[quietest]?.level ?? 0)) quietest = index
      if (isSpeech) continue
      current = current.end === index ? { start: current.start, end: index + 1 } : { start: index, end: index + 1 }
      if (current.end - current.start >= pause.end - pause.start) pause = current
    }
    return pause.end > 0 ? Math.floor((pause.start + pause.end) / 2) : Math.max(1, quietest)
  }

  #cut(end: number): Chunk | undefined {
    const start = Math.max(this.#floor, this.#start() - paddingWindows)
    const speech = this.#stretches.map((each) => ({ start: each.start * windowSamples, end: each.end * windowSamples }))
    this.#stretches = []
    this.#forget(end)
    return speech.length === 0 ? undefined : { start: start * windowSamples, end: end * windowSamples, speech }
  }

  #forget(floor: number): void {
    if (floor <= this.#floor) return
    this.#windows.splice(0, floor - this.#floor)
    this.#floor = floor
  }
}

function inWindows(seconds: number): number {
  return Math.round((seconds * audioSampleRateHz) / windowSamples)
}
