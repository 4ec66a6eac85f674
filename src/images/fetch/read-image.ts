import type { IncomingMessage } from 'node:http'
import { readHeader } from '../header/read-header.ts'
import { fileTooLarge } from '../image-limits.ts'
import type { ImageBytes } from '../sent-images.ts'
import { FetchProblem } from './fetch-problem.ts'
import type { ImageRequest } from './image-fetcher.ts'

/** Reads the body of an answer up to a picture's limit and hashes it. Throws as `ImageFetcher` does, and Unreadable. */
export async function readImage(
  answer: IncomingMessage,
  { limits, param, signal }: Pick<ImageRequest, 'limits' | 'param' | 'signal'>,
): Promise<ImageBytes> {
  const abort = () => answer.destroy(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    signal.throwIfAborted()
    const encoding = answer.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity') throw new FetchProblem('the server that it names sends it compressed.')
    if (Number(answer.headers['content-length'] ?? 0) > limits.bytes) throw fileTooLarge(limits, param)
    const hasher = new Bun.CryptoHasher('sha256')
    const pieces: Uint8Array[] = []
    let length = 0
    for await (const piece of piecesOf(answer)) {
      length += piece.length
      if (length > limits.bytes) throw fileTooLarge(limits, param)
      hasher.update(piece)
      pieces.push(piece)
    }
    signal.throwIfAborted()
    const bytes = new Uint8Array(Bun.concatArrayBuffers(pieces))
    return { bytes, hash: hasher.digest('hex'), header: readHeader(bytes) }
  } finally {
    signal.removeEventListener('abort', abort)
    answer.destroy()
  }
}

async function* piecesOf(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* answer as AsyncIterable<Uint8Array>
  } catch (error) {
    throw lost(error)
  }
}

function lost(cause?: unknown): FetchProblem {
  return new FetchProblem('the connection to its server was lost.', { cause })
}
