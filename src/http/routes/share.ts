/** Models that other boxes may fetch from this one with `inferd pull inferd://…`. */
import { open } from 'node:fs/promises'
import { ApiError } from '../../core/errors.ts'
import type { Exchange } from '../exchange.ts'
import type { SharedFiles } from '../services.ts'

/** Serves GET /share/v1/models. */
export function listShared(_: Exchange, share: SharedFiles): Response {
  return Response.json({ format: 1, models: share.models() })
}

/** Serves GET /share/v1/blobs/{sha256}: the path is looked up, never taken from the request. */
export function sharedBlob({ request, url }: Exchange, share: SharedFiles): Response {
  const sha256 = /\/blobs\/([0-9a-f]{64})\/?$/.exec(url.pathname)?.[1]
  const found = sha256 === undefined ? undefined : share.find(sha256)
  if (sha256 === undefined || found === undefined) {
    throw new ApiError('not_found', 'No model of this box has a file with this SHA-256.', { code: 'not_found' })
  }
  const { path, bytes } = found
  const tag = `"${sha256}"`
  const headers = { 'accept-ranges': 'bytes', etag: tag, 'content-type': 'application/octet-stream' }
  // HEAD sends no content, and the runtime knows the length of a file but not of a stream.
  const pace = request.method === 'HEAD' ? undefined : share.pace
  const paced = { pace, signal: request.signal }
  const condition = request.headers.get('if-range')
  const range = readRange(condition === null || condition === tag ? request.headers.get('range') : null, bytes)
  if (range === 'none') {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${bytes}` } })
  }
  if (range === 'whole') return new Response(content(path, { start: 0, end: bytes }, paced), { headers })
  const { start, end } = range
  return new Response(content(path, range, paced), {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${start}-${end - 1}/${bytes}` },
  })
}

interface Pacing {
  readonly pace: SharedFiles['pace']
  readonly signal: AbortSignal
}

const pieceBytes = 256 * 1024

/**
 * Returns the content without holding it in memory, however slowly the client reads: the system sends it, or this
 * process piece by piece if the rate is limited.
 */
function content(path: string, { start, end }: ByteRange, { pace, signal }: Pacing): Blob | ReadableStream {
  if (pace === undefined) return Bun.file(path).slice(start, end)
  return new ReadableStream({
    type: 'direct',
    async pull(sink) {
      const file = await open(path, 'r')
      try {
        for (let offset = start; offset < end; ) {
          const piece = new Uint8Array(Math.min(pieceBytes, end - offset))
          const { bytesRead } = await file.read(piece, 0, piece.length, offset)
          if (bytesRead === 0) throw new Error(`${path} became shorter while it was sent`)
          offset += bytesRead
          sink.write(piece.subarray(0, bytesRead))
          await sink.flush(true)
          await pace(bytesRead, signal)
        }
      } catch (error) {
        if (!signal.aborted) throw error // a disconnected client needs no end
      } finally {
        await file.close()
      }
      sink.close()
    },
  })
}

/** Part of a body: its first byte, and the byte after its last */
interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Returns the range that a `Range` header requests. `whole` means no header, several ranges or an unknown form, which
 * get the full content. `none` means that none of the range's bytes exist.
 */
export function readRange(header: string | null, bytes: number): ByteRange | 'whole' | 'none' {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return 'whole'
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1)
  // An end before the start is an invalid range.
  if (first !== '' && last !== '' && Number(last) < start) return 'whole'
  return start < end ? { start, end } : 'none'
}
