import { once } from 'node:events'
import type { ClientRequest } from 'node:http'
import { formBody } from './form-body.ts'
import { UpstreamForm, type UpstreamRequest } from './request.ts'

/** A body as it is sent. */
export interface RequestBody {
  readonly type: string
  readonly bytes: number
  /** Bytes that are there, or that are read once. */
  readonly content: Uint8Array | AsyncIterable<Uint8Array>
}

export function requestBody(body: UpstreamRequest['body']): RequestBody | undefined {
  if (body === undefined) return undefined
  if (body instanceof UpstreamForm) return formBody(body)
  const content = new TextEncoder().encode(JSON.stringify(body))
  return { type: 'application/json', bytes: content.length, content }
}

/** Sends it as fast as the server reads, and ends when it is sent or the request is destroyed. Throws when the content cannot be read. */
export async function sendBody(request: ClientRequest, body: RequestBody | undefined): Promise<void> {
  if (body === undefined || body.content instanceof Uint8Array) {
    request.end(body?.content)
    return
  }
  const closed = new AbortController()
  request.once('close', () => closed.abort())
  for await (const piece of body.content) {
    if (request.destroyed) return
    if (!request.write(piece)) await once(request, 'drain', { signal: closed.signal }).catch(() => undefined)
  }
  request.end()
}
