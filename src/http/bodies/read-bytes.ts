import { ApiError } from '../../core/errors.ts'

export interface BodyBounds {
  readonly limitBytes: number
  /** From now until the last byte, waits for `hold` included. */
  readonly timeoutMs: number
  /** Asked before so many more bytes are read; until it resolves the rest stays with the client. */
  readonly hold?: ((bytes: number) => Promise<void> | undefined) | undefined
  /** Rejects when the body is to be given up. */
  readonly evicted?: Promise<never>
}

/** Read in one piece up to here, which costs less than a stream. It is too little to ask `hold` for. */
const smallBytes = 64 * 1024

/**
 * The request's body, in pieces, never more than `limitBytes` of it whatever the headers claim. Throws ApiError 408, 413
 * or 415, what `hold` throws, what `evicted` rejects with, or the request's reason when the client disconnects; what is left of the body is then read
 * by nobody.
 */
export async function readBytes(request: Request, bounds: BodyBounds): Promise<Uint8Array<ArrayBuffer>[]> {
  requirePlain(request.headers.get('content-encoding'))
  const { limitBytes, timeoutMs, hold, evicted } = bounds
  const declaredBytes = Number(request.headers.get('content-length') ?? Number.NaN)
  if (declaredBytes > limitBytes) throw tooLarge(limitBytes)
  if (request.body === null) return []
  const givenUp = Promise.withResolvers<never>()
  const timer = setTimeout(() => givenUp.reject(tooSlow(timeoutMs)), timeoutMs)
  const { signal } = request
  const abort = () => givenUp.reject(signal.reason)
  evicted?.catch(givenUp.reject)
  signal.addEventListener('abort', abort)
  try {
    // The runtime reads no more than the declared length.
    if (declaredBytes <= smallBytes)
      return [new Uint8Array(await Promise.race([request.arrayBuffer(), givenUp.promise]))]
    return await readPieces(request.body, { limitBytes, hold, givenUp: givenUp.promise })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

async function readPieces(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { limitBytes, hold, givenUp }: Pick<BodyBounds, 'limitBytes' | 'hold'> & { readonly givenUp: Promise<never> },
): Promise<Uint8Array<ArrayBuffer>[]> {
  const reader = body.getReader()
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let total = 0
  try {
    while (true) {
      const piece = await Promise.race([reader.read(), givenUp])
      if (piece.done) return pieces
      total += piece.value.length
      if (total > limitBytes) throw tooLarge(limitBytes)
      const held = hold?.(piece.value.length)
      if (held !== undefined) await Promise.race([held, givenUp])
      pieces.push(piece.value)
    }
  } catch (error) {
    // It rejects where the client is gone.
    reader.cancel().catch(() => undefined)
    throw error
  }
}

/** A few kilobytes may unpack to gigabytes, and no client is known that compresses what it sends. */
function requirePlain(header: string | null): void {
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

function tooLarge(limitBytes: number): ApiError {
  return new ApiError('payload_too_large', `The body may have at most ${limitBytes} bytes.`, {
    code: 'payload_too_large',
  })
}

function tooSlow(timeoutMs: number): ApiError {
  return new ApiError('request_timeout', `The body did not arrive within ${timeoutMs / 1000} seconds.`, {
    code: 'request_timeout',
  })
}
