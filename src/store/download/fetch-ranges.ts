import type { Answer } from '../web/answer.ts'
import type { ResolvedFile } from '../web/resolve-file.ts'
import { shownAddress, WebError } from '../web/web-error.ts'
import type { FetchContext } from './fetch-context.ts'

/** Error of a server that does not give this file in parts. */
class NoRanges extends Error {
  override name = 'NoRanges'
}

/**
 * Fetches the missing chunks over several connections. Resolves to false if the server gives no ranges: then the file
 * must be fetched whole. Throws WebError, and the signal's reason.
 */
export async function fetchRanges(context: FetchContext): Promise<boolean> {
  const queue = new ChunkQueue(context.bytes, context.part.chunkBytes, (index) => context.part.isDone(index))
  const stop = new AbortController()
  const signal = AbortSignal.any([context.signal, stop.signal])
  const connection = async () => {
    for (let segment = queue.take(); segment !== undefined; segment = queue.take()) {
      await fetchSegment({ ...context, signal }, segment)
    }
  }
  const connections = Array.from({ length: Math.min(context.connections, queue.length) }, () =>
    connection().catch((error: unknown) => {
      // The first error counts: it aborts the other connections.
      stop.abort(error)
      throw error
    }),
  )
  await Promise.allSettled(connections)
  context.signal.throwIfAborted()
  if (stop.signal.reason instanceof NoRanges) return false
  stop.signal.throwIfAborted()
  return true
}

/**
 * Fewest bytes per request. Some connections are cut after a number of bytes, and what they had not delivered is lost.
 */
const leastRangeBytes = 16 * 1024

async function fetchSegment(context: FetchContext, segment: Segment): Promise<void> {
  const { source, patience, slots } = context
  let rangeBytes = segment.end - segment.offset
  while (segment.offset < segment.end) {
    const used = source.resolved
    const attempt = async () => {
      const { offset } = segment
      const end = Math.min(segment.end, offset + rangeBytes)
      try {
        await fetchRange(context, segment, { used, end })
        rangeBytes *= 2
      } catch (error) {
        if (segment.offset === offset) rangeBytes = Math.max(Math.ceil((end - offset) / 4), leastRangeBytes)
        throw error
      }
    }
    try {
      await patience.persist(() => slots.use(used.address.host, attempt))
    } catch (error) {
      if ((await source.afterError(error, used)) === 'whole') throw new NoRanges()
    }
  }
}

/** Fetches from a segment's offset to `end`. Received bytes are kept even if the answer ends early. */
async function fetchRange(
  context: FetchContext,
  segment: Segment,
  { used, end }: { readonly used: ResolvedFile; readonly end: number },
): Promise<void> {
  const { client, part, source, patience, rate, signal, onBytes } = context
  const headers = { range: `bytes=${segment.offset}-${end - 1}` }
  const answer = await client.get(used.address, { headers, signal, redirectedFrom: used.redirectedFrom })
  source.requireSame(answer, used)
  requireRange(answer, { offset: segment.offset, end, bytes: context.bytes })
  for await (const piece of answer.pieces()) {
    if (piece.length > end - segment.offset) throw unexpected(answer, 'more bytes')
    await part.write(piece, segment.offset)
    segment.offset += piece.length
    onBytes(piece.length)
    source.noteProgress()
    patience.noteProgress()
    await rate.take(piece.length, signal)
  }
  if (segment.offset < end) throw unexpected(answer, `${end - segment.offset} bytes less`)
}

interface WantedRange {
  readonly offset: number
  readonly end: number
  /** Size of the whole file. */
  readonly bytes: number
}

/** Throws unless the answer is exactly the requested range: NoRanges for a whole file, WebError for anything else. */
function requireRange(answer: Answer, { offset, end, bytes }: WantedRange): void {
  const encoding = answer.headers.get('content-encoding') ?? 'identity'
  const range = answer.headers.get('content-range') ?? 'no range'
  const length = Number(answer.headers.get('content-length') ?? end - offset)
  const isWanted = range === `bytes ${offset}-${end - 1}/${bytes}` && length === end - offset
  if (answer.status === 206 && isWanted && encoding === 'identity') return
  answer.close()
  if (answer.status === 200 || encoding !== 'identity') throw new NoRanges()
  throw unexpected(answer, `${range} in ${length} bytes`)
}

function unexpected({ address }: Answer, what: string): WebError {
  return new WebError('again', `${shownAddress(address)} answers ${what}, not what was asked for`)
}

/** Missing rest of a chunk. */
interface Segment {
  readonly index: number
  /** Offset of the next byte, which grows as bytes are written. */
  offset: number
  readonly end: number
}

/** Missing chunks in order of offset, so that the whole file's checksum follows closely. */
class ChunkQueue {
  readonly #segments: Segment[]

  constructor(bytes: number, chunkBytes: number, isDone: (index: number) => boolean) {
    const all = Array.from({ length: Math.ceil(bytes / chunkBytes) }, (_, index) => ({
      index,
      offset: index * chunkBytes,
      end: Math.min((index + 1) * chunkBytes, bytes),
    }))
    this.#segments = all.filter(({ index }) => !isDone(index))
  }

  get length(): number {
    return this.#segments.length
  }

  take(): Segment | undefined {
    return this.#segments.shift()
  }
}
