import { UpstreamFailure } from './failure.ts'
import { type OpenAnswer, openAnswer, withoutKey } from './open-answer.ts'
import type { UpstreamRequest } from './request.ts'

type WholeRequest = UpstreamRequest & { readonly method: 'GET' | 'POST' }

/** Returns the JSON of a 2xx answer. Throws as `requestText` does, and UpstreamFailure if it is invalid. */
export async function requestJson(request: WholeRequest, limitBytes: number): Promise<unknown> {
  const headers = { accept: 'application/json', ...request.headers }
  return parse(await requestText({ ...request, headers }, limitBytes), request)
}

/**
 * Returns the text of a 2xx answer, which must arrive within `firstByteMs`. Throws UpstreamFailure, also if the body is
 * larger than `limitBytes`, and the signal's reason.
 */
export async function requestText(request: WholeRequest, limitBytes: number): Promise<string> {
  const answer = await openAnswer(request.method, request)
  try {
    return new TextDecoder().decode(await answer.exchange.within(() => bodyOf(answer, limitBytes)))
  } finally {
    answer.exchange.close()
  }
}

async function bodyOf({ exchange }: OpenAnswer, limitBytes: number): Promise<ArrayBuffer> {
  const all: Uint8Array[] = []
  let bytes = 0
  for (let pieces = await exchange.take(); pieces !== undefined; pieces = await exchange.take()) {
    all.push(...pieces)
    for (const piece of pieces) bytes += piece.length
    if (bytes > limitBytes) throw new UpstreamFailure('too-large', `the answer has more than ${limitBytes} bytes`)
  }
  return Bun.concatArrayBuffers(all)
}

function parse(text: string, { key, limits }: UpstreamRequest): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const detail = withoutKey(text.slice(0, limits.errorBytes), key)
    throw new UpstreamFailure('malformed', 'the server does not answer with JSON', { detail })
  }
}
