import { type OpenAnswer, openAnswer } from './open-answer.ts'
import type { UpstreamRequest } from './request.ts'

/** Binary answer, such as audio. */
export interface BytesAnswer {
  readonly headers: Headers
  /** Pieces as they arrive, limited in time but not in size. Otherwise like `EventAnswer.events`. */
  readonly pieces: AsyncGenerator<Uint8Array>
  /** Closes the connection, like `EventAnswer.close`. */
  readonly close: () => void
}

/** Resolves at the head of a 2xx answer of any type. Throws UpstreamFailure and the signal's reason. */
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
