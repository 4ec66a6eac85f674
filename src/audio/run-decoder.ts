import type { Decode } from './decoder-turns.ts'

interface DecoderRun {
  /** Limit of the time that the decoder itself uses, in milliseconds. */
  readonly limitMs: number
  /** Interval between calls of `goesOn`, in milliseconds. It is also called after each piece. */
  readonly sliceMs: number
  /** Waits for a turn. */
  readonly beginTurn: () => Promise<void>
  /** Returns false if the decoder, which has used that much time, must stop. */
  readonly goesOn: (usedMs: number) => boolean
  readonly signal: AbortSignal
}

/** Error of a decoder that exceeded its time limit. Waits between its pieces do not count. */
export class DecodingTooLong extends Error {
  override name = 'DecodingTooLong'
}

/**
 * Yields the pieces of one decoder, asking for each during a turn. Returns whether the decoder was complete or had to
 * stop. Throws the signal's reason, DecodingTooLong, and errors of `decode`.
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

/** Time that a decoder spent on its pieces, in milliseconds. */
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
