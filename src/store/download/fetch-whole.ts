import type { Answer } from '../web/answer.ts'
import type { ResolvedFile } from '../web/resolve-file.ts'
import { shownAddress, WebError } from '../web/web-error.ts'
import type { FetchContext } from './fetch-context.ts'
import type { PartFile } from './part-file.ts'

/**
 * Fetches the file over one connection from its first byte; bytes that the disk has already are read and dropped. A
 * second attempt begins at the first byte again. Throws WebError, and the signal's reason.
 */
export async function fetchWhole(context: FetchContext): Promise<void> {
  const { source, patience, slots, bytes } = context
  const progress = { furthest: 0 }
  for (let isDone = bytes === 0; !isDone; ) {
    const used = source.resolved
    try {
      await patience.persist(() => slots.use(used.address.host, () => readWhole(context, used, progress)))
      isDone = true
    } catch (error) {
      if ((await source.afterError(error, used)) === 'whole') throw error
    }
  }
}

async function readWhole(context: FetchContext, used: ResolvedFile, progress: { furthest: number }): Promise<void> {
  const { client, part, source, patience, rate, signal, bytes, onBytes } = context
  const answer = await client.get(used.address, { signal, redirectedFrom: used.redirectedFrom })
  source.requireSame(answer, used)
  requireWhole(answer, bytes)
  let offset = 0
  for await (const piece of answer.pieces()) {
    if (offset + piece.length > bytes) throw wrongLength(answer, bytes, 'more')
    await keepMissing(part, piece, offset, bytes)
    offset += piece.length
    if (offset > progress.furthest) {
      onBytes(offset - progress.furthest)
      progress.furthest = offset
      source.noteProgress()
      patience.noteProgress()
    }
    await rate.take(piece.length, signal)
  }
  if (offset < bytes) throw wrongLength(answer, bytes, `${offset} bytes`)
}

/** Writes the missing bytes of a piece. */
async function keepMissing(part: PartFile, piece: Uint8Array, offset: number, bytes: number): Promise<void> {
  const { chunkBytes } = part
  for (let start = 0; start < piece.length; ) {
    const index = Math.floor((offset + start) / chunkBytes)
    const chunkEnd = Math.min((index + 1) * chunkBytes, bytes)
    const portion = piece.subarray(start, chunkEnd - offset)
    if (!part.isDone(index)) await part.write(portion, offset + start)
    start += portion.length
  }
}

/** Throws WebError unless the answer's head describes a file of the right length. */
function requireWhole(answer: Answer, bytes: number): void {
  const length = answer.headers.get('content-length')
  const isEncoded = (answer.headers.get('content-encoding') ?? 'identity') !== 'identity'
  if (answer.status === 200 && (isEncoded || length === null || Number(length) === bytes)) return
  answer.close()
  throw wrongLength(answer, bytes, `${length} bytes`)
}

function wrongLength({ address, headers }: Answer, bytes: number, found: string): WebError {
  const type = headers.get('content-type') ?? 'no type'
  const isPage = type.startsWith('text/html')
  const hint = isPage ? '; it is a page, perhaps one to sign in to this network' : ''
  const message = `${shownAddress(address)} sends ${found} (${type}) instead of ${bytes} bytes${hint}`
  return new WebError(isPage ? 'final' : 'again', message)
}
