import { once } from 'node:events'
import type { ClientRequest } from 'node:http'
import { type UpstreamFile, UpstreamForm, type UpstreamRequest } from './request.ts'

/** A request body in its final form. */
export interface RequestBody {
  readonly type: string
  readonly bytes: number
  /** Bytes in memory, or a source that can be read only once. */
  readonly content: Uint8Array | AsyncIterable<Uint8Array>
}

export function requestBody(body: UpstreamRequest['body']): RequestBody | undefined {
  if (body === undefined) return undefined
  if (body instanceof UpstreamForm) return formBody(body)
  const content = new TextEncoder().encode(JSON.stringify(body))
  return { type: 'application/json', bytes: content.length, content }
}

/**
 * Sends the body as fast as the server reads. Ends when it is sent or the request is destroyed. Throws when the
 * content cannot be read.
 */
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

/** Returns a form by RFC 7578, with names escaped as browsers do. */
function formBody({ fields, file }: UpstreamForm): RequestBody {
  const boundary = `inferd-${crypto.randomUUID()}`
  const encoder = new TextEncoder()
  const part = (disposition: string) => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`
  const texts = fields.map(([name, value]) => `${part(`name="${escaped(name)}"`)}\r\n${value}\r\n`)
  const fileHead = part(`name="${escaped(file.field)}"; filename="${escaped(file.name)}"`)
  const before = encoder.encode(`${texts.join('')}${fileHead}content-type: ${file.type}\r\n\r\n`)
  const after = encoder.encode(`\r\n--${boundary}--\r\n`)
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: before.length + file.bytes + after.length,
    content: contentOf(before, file, after),
  }
}

async function* contentOf(before: Uint8Array, file: UpstreamFile, after: Uint8Array): AsyncGenerator<Uint8Array> {
  yield before
  let bytes = 0
  for await (const piece of file.content) {
    bytes += piece.length
    if (bytes > file.bytes) break
    yield piece
  }
  // With another length, the server would read the rest as another request.
  if (bytes !== file.bytes) throw new Error(`the file to send does not have ${file.bytes} bytes`)
  yield after
}

function escaped(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
