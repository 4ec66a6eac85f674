import { open } from 'node:fs/promises'
import type { WorkEvent } from '../core/work.ts'
import type { AnswerEncoder, AnswerPiece } from '../wire/dialect.ts'
import { answerBody } from './answer-body.ts'
import type { KeyHolder } from './authenticate.ts'
import type { Exchange } from './exchange.ts'
import type { Renewable } from './work-answer.ts'

/**
 * Returns the body of an answer that begins with its size: its pieces wait in the spool until the work is done and
 * settled. Pieces of restarted work are left out. Throws errors of `events` and the spool.
 */
export async function spooledAnswer<Event extends WorkEvent>(
  exchange: Exchange<'spool'>,
  { owner }: KeyHolder,
  events: AsyncGenerator<Event>,
  encoders: Renewable<AnswerEncoder<Event>>,
): Promise<ReadableStream> {
  const { request, observer, services } = exchange
  let writtenBytes = 0
  /** Offset of the answer in the spool. Bytes before it belong to work that was restarted. */
  let beginsAt = 0
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let current = encoders.current
    const written = (piece: AnswerPiece) => {
      const bytes = Buffer.from(piece)
      writtenBytes += bytes.length
      return bytes
    }
    for await (const event of events) {
      if (current !== encoders.current) beginsAt = writtenBytes
      current = encoders.current
      observer.onEvent(event)
      for (const piece of current.push(event)) yield written(piece)
    }
    for (const piece of current.end()) yield written(piece)
  }
  const { path, sizeBytes } = exchange.keep(await services.spool.write(pieces(), { accountId: owner }))
  const prefix = encoders.current.prefix?.(sizeBytes - beginsAt)
  return answerBody(exchange, {
    async write({ send }) {
      if (prefix !== undefined) await send([prefix])
      for await (const piece of filePieces(path, beginsAt)) {
        await send([piece])
        if (request.signal.aborted) return
      }
    },
    end: async () => undefined,
  })
}

const pieceBytes = 256 * 1024

async function* filePieces(path: string, beginsAt: number): AsyncGenerator<Exclude<AnswerPiece, string>> {
  await using file = await open(path, 'r')
  for (let at = beginsAt; ; ) {
    const piece = new Uint8Array(pieceBytes)
    const { bytesRead } = await file.read(piece, 0, pieceBytes, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}
