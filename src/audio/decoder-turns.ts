import { Turns } from '../core/turns.ts'

/** Recordings that are begun and wait for their next turn. Each keeps a decoder with some 50 MiB. */
const pausedDecoders = 8
const usualSliceMs = 250

export interface DecoderTurnsOptions {
  /** Recordings that are decoded at the same time. */
  readonly parallel: number
  /** Longest turn in milliseconds. */
  readonly sliceMs?: number | undefined
}

export interface SharedDecoding {
  readonly accountId: string
  /** Length of the recording in seconds, as far as it is known: short recordings come first. */
  readonly expectedSeconds: number
  /** Limit of the decoder's own time in milliseconds. Waiting for turns does not count. */
  readonly limitMs: number
  readonly signal: AbortSignal
}

/**
 * Shares decoders among accounts. One account has at most half of them, and a decoding that takes longer than a turn pauses between
 * two pieces while others wait. A decoder that makes nothing for a whole turn loses it and goes on beside the next one.
 */
export class DecoderTurns {
  readonly #begun: Turns
  readonly #running: Turns
  readonly #sliceMs: number

  constructor({ parallel, sliceMs = usualSliceMs }: DecoderTurnsOptions) {
    const ofAccount = Math.max(1, Math.floor(parallel / 2))
    this.#begun = new Turns({ all: parallel + pausedDecoders, ofAccount })
    this.#running = new Turns({ all: parallel })
    this.#sliceMs = sliceMs
  }

  /**
   * Passes on what `decode` makes, asking for each piece during a turn. The signal that `decode` gets aborts with the caller's, or
   * when the time is over. Throws that signal's reason (DecodingTooLong, for the time) and what the pieces throw.
   */
  async *share<Piece>(
    decode: (signal: AbortSignal) => AsyncIterable<Piece>,
    { accountId, expectedSeconds, limitMs, signal }: SharedDecoding,
  ): AsyncGenerator<Piece> {
    using _place = await this.#begun.take(accountId, expectedSeconds, signal)
    using turn = new SlicedTurn(this.#running, accountId, this.#sliceMs)
    const deadline = new AbortController()
    const pieces = decode(AbortSignal.any([signal, deadline.signal]))[Symbol.asyncIterator]()
    let leftMs = limitMs
    try {
      for (;;) {
        // A second of a recording is decoded in about a millisecond.
        await turn.begin(expectedSeconds, signal)
        const begunMs = performance.now()
        const timer = setTimeout(() => deadline.abort(new DecodingTooLong()), Math.max(0, leftMs))
        const next = await pieces.next().finally(() => clearTimeout(timer))
        if (next.done === true) return
        leftMs -= performance.now() - begunMs
        yield next.value
      }
    } finally {
      await pieces.return?.()
    }
  }
}

/** A decoder took more time of its own than it had. */
export class DecodingTooLong extends Error {
  override name = 'DecodingTooLong'
}

/** The turns of one decoding, each at most a slice long. */
class SlicedTurn implements Disposable {
  readonly #turns: Turns
  readonly #accountId: string
  readonly #sliceMs: number
  #turn: Disposable | undefined
  #timer: Timer | undefined
  #isFirst = true

  constructor(turns: Turns, accountId: string, sliceMs: number) {
    this.#turns = turns
    this.#accountId = accountId
    this.#sliceMs = sliceMs
  }

  /** Resolves during a turn: the present one or the next. Throws the signal's reason. */
  async begin(expectedMs: number, signal: AbortSignal): Promise<void> {
    if (this.#turn !== undefined) return
    const costMs = this.#isFirst ? Math.min(expectedMs, this.#sliceMs) : this.#sliceMs
    this.#isFirst = false
    this.#turn = await this.#turns.take(this.#accountId, costMs, signal)
    this.#timer = setTimeout(() => this.#end(), this.#sliceMs)
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#turn?.[Symbol.dispose]()
    this.#turn = undefined
  }

  [Symbol.dispose](): void {
    this.#end()
  }
}
