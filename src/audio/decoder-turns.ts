import { audioSampleRateHz } from '../core/speech.ts'
import { Turns } from '../core/turns.ts'
import { runDecoder } from './run-decoder.ts'
import { SlicedTurn } from './sliced-turn.ts'

const usualSliceMs = 250
/** Decoded bytes per second of a recording. */
const bytesPerSecond = audioSampleRateHz * 2
const usualShortBytes = 60 * bytesPerSecond
/** Slices that a decoder of a short recording may take. A hanging decoder takes more. */
const shortSlices = 20
/** Places for short recordings that wait for their turn. */
const spareShortPlaces = 2
/** Assumed length of a recording that exceeds its stated length: the longest that is accepted. */
const longestSeconds = 12 * 3600

export interface DecoderTurnsOptions {
  /** Short recordings decoded at once. Twice as many long ones may be under way. */
  readonly parallel: number
  /** Longest turn in milliseconds. */
  readonly sliceMs?: number | undefined
  /** Decoded bytes up to which a recording counts as short. */
  readonly shortBytes?: number | undefined
}

interface SharedDecoding {
  readonly accountId: string
  /** Expected length of the recording in seconds: short recordings come first. */
  readonly expectedSeconds: number
  /** Length in seconds that the recording states. */
  readonly statedSeconds?: number | undefined
  /** Limit of the decoder's own time in milliseconds. Waiting for turns does not count. */
  readonly limitMs: number
  readonly signal: AbortSignal
}

/** Yields the decoded bytes of a recording until the signal aborts. Each call yields the same bytes. */
export type Decode = (signal: AbortSignal) => AsyncIterable<Uint8Array>

interface Lane {
  /** Limit of decodings under way. */
  readonly places: Turns
  /** Limit of decodings that run at once. */
  readonly running: Turns
}

/**
 * Shares decoders among accounts, each of which holds at most half of `parallel` places of a lane. A decoding begins in
 * a place for short recordings and moves to a place for long ones if it turns out to be long. If those are taken and
 * others wait, its decoder is stopped, and starts again once a place is free. Decoders take turns: they pause between
 * pieces while others wait; one that yields nothing during its slice goes on beside the next.
 */
export class DecoderTurns {
  readonly #short: Lane
  readonly #long: Lane
  readonly #sliceMs: number
  readonly #shortBytes: number

  constructor({ parallel, sliceMs = usualSliceMs, shortBytes = usualShortBytes }: DecoderTurnsOptions) {
    const half = Math.max(1, Math.floor(parallel / 2))
    const laneOf = (places: number, running: number) => ({
      places: new Turns({ all: places, ofAccount: half }),
      running: new Turns({ all: running }),
    })
    this.#short = laneOf(parallel + spareShortPlaces, parallel)
    this.#long = laneOf(2 * parallel, half)
    this.#sliceMs = sliceMs
    this.#shortBytes = shortBytes
  }

  /** Yields the bytes of `decode`. Throws the signal's reason, DecodingTooLong, and errors of `decode`. */
  async *share(decode: Decode, request: SharedDecoding): AsyncGenerator<Uint8Array> {
    const { accountId, expectedSeconds, limitMs, signal } = request
    using place = new Place(await this.#short.places.take(accountId, expectedSeconds, signal))
    let isLong = false
    let passedBytes = 0
    const goesOn = (usedMs: number) => {
      if (passedBytes <= this.#shortBytes && usedMs < shortSlices * this.#sliceMs) return true
      const long = isLong ? undefined : this.#long.places.takeFree(accountId)
      if (long !== undefined) {
        place.change(long)
        isLong = true
      }
      return isLong || this.#short.places.waiting === 0
    }
    for (;;) {
      using turn = new SlicedTurn(accountId, this.#sliceMs)
      const beginTurn = () => turn.begin((isLong ? this.#long : this.#short).running, expectedSeconds, signal)
      const pieces = runDecoder(decode, { limitMs, sliceMs: this.#sliceMs, beginTurn, goesOn, signal })
      const end = yield* countedFrom(passedBytes, pieces, (bytes) => {
        passedBytes += bytes
      })
      if (end === 'complete') return
      place.change(undefined)
      place.change(await this.#long.places.take(accountId, this.#secondsAfter(passedBytes, request), signal))
      isLong = true
    }
  }

  /** Returns the expected length in seconds after a part was decoded. */
  #secondsAfter(bytes: number, { expectedSeconds, statedSeconds = 0 }: SharedDecoding): number {
    if (bytes / bytesPerSecond <= statedSeconds) return statedSeconds
    return bytes <= this.#shortBytes ? expectedSeconds : longestSeconds
  }
}

/** Yields the bytes from `fromByte` on, and counts them. */
async function* countedFrom<End>(
  fromByte: number,
  pieces: AsyncGenerator<Uint8Array, End>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array, End> {
  let skipBytes = fromByte
  try {
    for (;;) {
      const next = await pieces.next()
      if (next.done === true) return next.value
      const rest = next.value.subarray(Math.min(skipBytes, next.value.length))
      skipBytes -= next.value.length - rest.length
      count(rest.length)
      if (rest.length > 0) yield rest
    }
  } finally {
    await pieces[Symbol.asyncDispose]()
  }
}

/** Place that a decoding holds, first in the lane of short recordings, then in that of long ones. */
class Place implements Disposable {
  #turn: Disposable | undefined

  constructor(turn: Disposable) {
    this.#turn = turn
  }

  change(turn: Disposable | undefined): void {
    this.#turn?.[Symbol.dispose]()
    this.#turn = turn
  }

  [Symbol.dispose](): void {
    this.change(undefined)
  }
}
