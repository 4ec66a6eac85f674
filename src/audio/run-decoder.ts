import type { Decode } from './decoder-turns.ts'

interface DecoderRun {
  /** Limit of the decoder's own time in milliseconds. */
  readonly limitMs: number
  /** Interval in which `goesOn` is asked, in milliseconds, besides after each piece. */
  readonly sliceMs: number
  /** Resolves during a turn. */
  readonly beginTurn: () => Promise<void>
  /** Returns false if the decoder, which has used that time, is to be given up. */
  readonly goesOn: (usedMs: number) => boolean
  readonly signal: AbortSignal
}

/** The decoder exceeded its time limit. Waits between its pieces do not count. */
export class DecodingTooLong extends Error {
  override name = 'DecodingTooLong'
}

/**
 * Passes on the pieces of one decoder, asking for each during a turn. Returns whether that was all. Throws the signal's reason,
 * DecodingTooLong, and what `decode` throws.
 */
export async function* runDecoder(
  decode: Decode,
  { limitMs, sliceMs, beginTurn, goesOn, signal }: DecoderRun,
): AsyncGenerator<Uint8Array, 'complete' | 'given up'> {
  const time = new OwnTime()
  const ending = new AbortController()
  const tooLong = new DecodingTooLong()
  const givenUp = new Error('the decoder is given up for others')
  const look = () => {
    if (time.ms() > limitMs) ending.abort(tooLong)
    else if (!goesOn(time.ms())) ending.abort(givenUp)
  }
  const timer = setInterval(look, sliceMs)
  const pieces = decode(AbortSignal.any([signal, ending.signal]))[Symbol.asyncIterator]()
  try {
    for (;;) {
      await beginTurn()
      const next = await time.measure(pieces.next())
      if (next.done === true) return 'complete'
      yield next.value
      look()
      ending.signal.throwIfAborted()
    }
  } catch (error) {
    if (ending.signal.reason !== givenUp || signal.aborted) throw error
    return 'given up'
  } finally {
    clearInterval(timer)
    await pieces.return?.()
  }
}

/** Time in which a decoder was asked for something, in milliseconds. */
class OwnTime {
  #usedMs = 0
  #begunMs: number | undefined

  ms(): number {
    return this.#usedMs + (this.#begunMs === undefined ? 0 : performance.now() - this.#begunMs)
  }

  async measure<Result>(work: Promise<Result>): Promise<Result> {
    this.#begunMs = performance.now()
    try {
      return await work
    } finally {
      this.#usedMs = this.ms()
      this.#begunMs = undefined
    }
  }
}
