import { type OpenAnswer, openAnswer } from './open-answer.ts'
import type { UpstreamRequest } from './request.ts'

/** An answer of bytes, such as audio. */
export interface BytesAnswer {
  readonly headers: Headers
  /** As they come; bounded in time, not in size. As `EventAnswer.events` otherwise. */
  readonly pieces: AsyncGenerator<Uint8Array>
  /** As that of `EventAnswer`. */
  readonly close: () => void
}

/** Resolves when the head of a 2xx answer is there, of whatever type. Throws UpstreamFailure, and the signal's reason. */
export async function postForBytes(request: UpstreamRequest): Promise<BytesAnswer> {
  const answer = await openAnswer('POST', request)
  return { headers: answer.headers, pieces: piecesOf(answer), close: () => answer.exchange.close() }
}

async function* piecesOf({ exchange }: OpenAnswer): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const pieces = await exchange.within(() => exchange.take())
      if (pieces === undefined) return
      exchange.noteLife()
      yield* pieces
    }
  } finally {
    exchange.close()
  }
}
