/** Thread that parses large bodies, so that small ones do not wait half a second for them. */
import type { Work } from '../../core/work.ts'
import { packWork } from '../../engines/protocol/packed-request.ts'
import type { BodyReader } from '../../wire/dialect.ts'
import { dialects } from '../../wire/dialects.ts'
import { type ParsedBody, parseBody, toRefusal } from './parse-body.ts'
import type { FromParser, ToParser } from './parse-thread.ts'

declare const self: Worker

/** Body readers by endpoint. The thread receives only the endpoint's name. */
const readers: readonly BodyReader<unknown>[] = Object.values(dialects)

/** Body size from which garbage is collected at once. */
const largeBytes = 1024 * 1024

/** Body being parsed, kept while the server looks up items that it refers to. */
let current: { readonly endpoint: string; readonly bytes: Uint8Array } | undefined

self.onmessage = ({ data }: MessageEvent<ToParser>) => {
  if (data.type === 'parse') current = { endpoint: data.endpoint, bytes: joined(data.pieces) }
  if (current === undefined) throw new Error('there is no body to parse: this is a bug')
  const { endpoint, bytes } = current
  const answer = parse(endpoint, bytes, data.type === 'items' ? data.items : new Map())
  if (answer.type !== 'wants') current = undefined
  self.postMessage(answer, answer.type === 'parsed' ? largeIn(answer.body) : [])
  if (answer.type !== 'wants' && bytes.length > largeBytes) Bun.gc(true)
}

/** Joins the pieces. Frees each one once it is copied, because the garbage collector would keep them for a while. */
function joined(pieces: readonly Uint8Array<ArrayBuffer>[]): Uint8Array {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
    piece.buffer.transfer(0)
  }
  return whole
}

function parse(endpoint: string, bytes: Uint8Array, items: ReadonlyMap<string, object | undefined>): FromParser {
  const reader = readers.find((candidate) => candidate.endpoint === endpoint)
  if (reader === undefined) throw new Error(`no reader for the bodies of ${endpoint}: this is a bug`)
  const ids = new Set<string>()
  const findItem = (id: string) => {
    if (items.has(id)) return items.get(id)
    ids.add(id)
    return placeholder
  }
  try {
    const body = parseBody(reader, bytes, findItem)
    return ids.size > 0 ? { type: 'wants', ids: [...ids] } : { type: 'parsed', body: packed(reader.kind, body) }
  } catch (error) {
    return { type: 'refused', refusal: toRefusal(error) }
  }
}

/** Placeholder for an item that is not here yet, so that one pass finds all missing items. */
const placeholder = { type: 'message', role: 'assistant', content: '' }

/** Packs the large fields of the request as bytes. Only the engine reads a chat's. */
function packed(kind: Work['kind'], body: ParsedBody): ParsedBody {
  if (!('call' in body.fields)) return body
  const call = body.fields.call as Pick<Work, 'request'> // every reader returns a call of its kind
  const request = { ...call.request, packed: packWork({ kind, request: call.request } as Work) }
  const emptied = { messages: [], tools: [], ...('prompts' in request && { prompts: [] }) }
  return {
    ...body,
    fields: {
      ...body.fields,
      call: { ...call, request: 'messages' in request ? { ...request, ...emptied } : request },
    },
  }
}

/** Returns the buffers to move, not copy, to the server's thread. */
function largeIn({ fields }: ParsedBody): ArrayBuffer[] {
  if (!('call' in fields)) return []
  const { packed } = (fields.call as { request: { packed?: Uint8Array<ArrayBuffer> } }).request
  const pictures = fields.images.flatMap(({ content }) => (content.kind === 'bytes' ? [content.bytes.buffer] : []))
  const documents = fields.documents.flatMap(({ content }) => (content.kind === 'file' ? [content.bytes.buffer] : []))
  const sounds = fields.sounds.flatMap(({ content }) => (content.kind === 'bytes' ? [content.bytes.buffer] : []))
  return [...(packed === undefined ? [] : [packed.buffer]), ...pictures, ...documents, ...sounds]
}
