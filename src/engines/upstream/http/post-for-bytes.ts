import type { UpstreamRequest } from './request.ts'
import { send } from './send.ts'

/** An answer of bytes, such as audio. */
export interface BytesAnswer {
  readonly headers: Headers
  /** As they come; bounded in time, not in size. As `EventAnswer.events` otherwise. */
  readonly pieces: AsyncGenerator<Uint8Array>
}

/** Resolves when the head of a 2xx answer is there. Throws UpstreamFailure, and the signal's reason. */
export async function postForBytes(request: UpstreamRequest): Promise<BytesAnswer> {
  const { headers, body } = await send('POST', request)
  return { headers, pieces: piecesOf(body) }
}

async function* piecesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* body
}
