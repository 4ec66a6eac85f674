import { type OpenAnswer, openAnswer } from './open-answer.ts'
import type { UpstreamRequest } from './request.ts'

/** Answer of bytes, such as audio. */
export interface BytesAnswer {
  readonly headers: Headers
  /** Pieces as they come, limited in time, not in size. Otherwise as `EventAnswer.events`. */
  readonly pieces: AsyncGenerator<Uint8Array>
  /** Closes the connection, like `EventAnswer`'s. */
  readonly close: () => void
}

/** Resolves at the head of a 2xx answer of any type. Throws UpstreamFailure, and the signal's reason. */
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
