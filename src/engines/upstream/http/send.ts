import { UpstreamFailure } from './failure.ts'
import { UpstreamForm, type UpstreamRequest } from './request.ts'

/** An answer of status 2xx. */
export interface OpenAnswer {
  readonly headers: Headers
  readonly body: AsyncIterable<Uint8Array>
}

/** Sends a request and waits for the head of its answer. Throws UpstreamFailure, and the signal's reason. */
export async function send(method: 'GET' | 'POST', request: UpstreamRequest): Promise<OpenAnswer> {
  const { url, key, body, signal } = request
  const headers = new Headers({ 'accept-encoding': 'identity', 'user-agent': 'inferd', ...request.headers })
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`)
  if (body instanceof UpstreamForm) throw new Error('forms are not sent yet')
  if (body !== undefined) headers.set('content-type', 'application/json')
  const init: RequestInit = { method, headers, signal, redirect: 'manual' }
  if (body !== undefined) init.body = JSON.stringify(body)
  const answer = await fetch(url, init).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new UpstreamFailure('connect', 'the server cannot be reached', { cause: error })
  })
  const { status } = answer
  if (status < 200 || status > 299) {
    const detail = await answer.text()
    throw new UpstreamFailure('status', `the server answers with the status ${status}`, { status, detail })
  }
  return { headers: answer.headers, body: answer.body ?? new ReadableStream<Uint8Array>() }
}
