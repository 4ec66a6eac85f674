import { UpstreamFailure } from './failure.ts'
import type { UpstreamRequest } from './request.ts'
import { send } from './send.ts'

/**
 * The JSON that a 2xx answer holds. Throws UpstreamFailure, also where the body is larger than `limitBytes`, and the
 * signal's reason.
 */
export async function requestJson(
  request: UpstreamRequest & { readonly method: 'GET' | 'POST' },
  limitBytes: number,
): Promise<unknown> {
  const { body } = await send(request.method, request)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > limitBytes)
      throw new UpstreamFailure('too-large', `the server's answer has more than ${limitBytes} bytes`)
    text += decoder.decode(piece, { stream: true })
  }
  try {
    return JSON.parse(text + decoder.decode())
  } catch (error) {
    throw new UpstreamFailure('malformed', 'the server does not answer with JSON', { cause: error })
  }
}
