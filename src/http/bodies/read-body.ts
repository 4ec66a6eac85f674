import { ApiError } from '../../core/errors.ts'
import { invalidJson } from './parse-json.ts'

export interface BodyBounds {
  readonly limitBytes: number
  /** Time from now until the last byte, including waits for `hold`. */
  readonly timeoutMs: number
  /** True to read the body as JSON even with another `content-type`. */
  readonly takesAnyType?: boolean | undefined
  /** Called before that many more bytes are read. The rest of the body stays with the client until it resolves. */
  readonly hold?: ((bytes: number) => Promise<void> | undefined) | undefined
  /** Rejects to end the reading. */
  readonly evicted?: Promise<never>
}

/** Bodies up to this size are read in one piece, which costs less than a stream. They never ask `hold`. */
const smallBytes = 64 * 1024

/**
 * Returns the pieces of a request's JSON body, at most `limitBytes` whatever the headers claim. Throws ApiError 400,
 * 408, 413 or 415, errors of `hold` and `evicted`, or the request's reason if the client disconnects; the rest of the
 * body is then not read.
 */
export async function readBody(request: Request, bounds: BodyBounds): Promise<Uint8Array<ArrayBuffer>[]> {
  if (bounds.takesAnyType !== true) requireJson(request.headers.get('content-type'))
  requirePlain(request.headers.get('content-encoding'))
  const { limitBytes, timeoutMs, hold, evicted } = bounds
  const declaredBytes = Number(request.headers.get('content-length') ?? Number.NaN)
  if (declaredBytes > limitBytes) throw bodyTooLarge(limitBytes)
  if (request.body === null) return []
  const abandoned = Promise.withResolvers<never>()
  const timer = setTimeout(() => abandoned.reject(bodyTooSlow(timeoutMs)), timeoutMs)
  const { signal } = request
  const abort = () => abandoned.reject(signal.reason)
  evicted?.catch(abandoned.reject)
  signal.addEventListener('abort', abort)
  try {
    // The runtime reads no more than the declared length.
    if (declaredBytes <= smallBytes)
      return [new Uint8Array(await Promise.race([request.arrayBuffer(), abandoned.promise]))]
    return await readPieces(request.body, { limitBytes, hold, abandoned: abandoned.promise })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

async function readPieces(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { limitBytes, hold, abandoned }: Pick<BodyBounds, 'limitBytes' | 'hold'> & { readonly abandoned: Promise<never> },
): Promise<Uint8Array<ArrayBuffer>[]> {
  const reader = body.getReader()
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let total = 0
  try {
    while (true) {
      const piece = await Promise.race([reader.read(), abandoned])
      if (piece.done) return pieces
      total += piece.value.length
      if (total > limitBytes) throw bodyTooLarge(limitBytes)
      const held = hold?.(piece.value.length)
      if (held !== undefined) await Promise.race([held, abandoned])
      pieces.push(piece.value)
    }
  } catch (error) {
    // Rejects if the client is gone.
    reader.cancel().catch(() => undefined)
    throw error
  }
}

/** Throws unless the type is JSON. A missing type counts as JSON, because some clients send none. */
function requireJson(header: string | null): void {
  const type = header?.split(/[;,]/)[0]?.trim().toLowerCase() ?? ''
  if (type !== '' && type !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(type)) {
    throw invalidJson("The body must be JSON: send the header 'content-type: application/json'.")
  }
}

/** Refuses compressed bodies: a few kilobytes may unpack to gigabytes, and no known client compresses. */
export function requirePlain(header: string | null): void {
  const encoding = header?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return
  throw new ApiError(
    'unsupported_media_type',
    'Compressed bodies are not read. Send the body without content-encoding.',
    {
      code: 'unsupported_media_type',
    },
  )
}

export function bodyTooLarge(limitBytes: number): ApiError {
  return new ApiError('payload_too_large', `The body may have at most ${limitBytes} bytes.`, {
    code: 'payload_too_large',
  })
}

export function bodyTooSlow(timeoutMs: number): ApiError {
  return new ApiError('request_timeout', `The body did not arrive within ${timeoutMs / 1000} seconds.`, {
    code: 'request_timeout',
  })
}
