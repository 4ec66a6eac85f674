import type { IncomingMessage } from 'node:http'
import type { ApiError } from '../../core/errors.ts'
import { FetchProblem } from './fetch-problem.ts'

interface AnswerBounds {
  readonly limitBytes: number
  /** Returns the error of a larger file. */
  readonly tooLarge: () => ApiError
  readonly signal: AbortSignal
}

interface FetchedFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** SHA-256 of the bytes in hex. */
  readonly hash: string
}

/** Reads the body of an answer up to the limit and hashes it. Throws FetchProblem, and the signal's reason. */
export async function readAnswer(
  answer: IncomingMessage,
  { limitBytes, tooLarge, signal }: AnswerBounds,
): Promise<FetchedFile> {
  const abort = () => answer.destroy(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    signal.throwIfAborted()
    const encoding = answer.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity') throw new FetchProblem('the server that it names sends it compressed.')
    if (Number(answer.headers['content-length'] ?? 0) > limitBytes) throw tooLarge()
    const hasher = new Bun.CryptoHasher('sha256')
    const pieces: Uint8Array[] = []
    let length = 0
    for await (const piece of piecesOf(answer)) {
      length += piece.length
      if (length > limitBytes) throw tooLarge()
      hasher.update(piece)
      pieces.push(piece)
    }
    signal.throwIfAborted()
    return { bytes: new Uint8Array(Bun.concatArrayBuffers(pieces)), hash: hasher.digest('hex') }
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
