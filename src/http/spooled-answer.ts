import { open } from 'node:fs/promises'
import type { WorkEvent } from '../core/work.ts'
import type { AnswerEncoder, AnswerPiece } from '../wire/dialect.ts'
import { answerBody } from './answer-body.ts'
import type { KeyHolder } from './authenticate.ts'
import type { Exchange } from './services.ts'

/**
 * The body of an answer that begins with its size: its pieces wait in the spool until the work is done, which then is settled.
 * Throws what `events` and the spool throw.
 */
export async function spooledAnswer<Event extends WorkEvent>(
  exchange: Exchange,
  { accountId }: KeyHolder,
  events: AsyncGenerator<Event>,
  encoder: AnswerEncoder<Event>,
): Promise<ReadableStream> {
  const { request, record, services } = exchange
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const event of events) {
      record.saw(event)
      for (const piece of encoder.push(event)) yield Buffer.from(piece)
    }
    for (const piece of encoder.end()) yield Buffer.from(piece)
  }
  const { path, sizeBytes } = exchange.keep(await services.spool.write(pieces(), { accountId }))
  const prefix = encoder.prefix?.(sizeBytes)
  return answerBody(exchange, {
    async write({ send }) {
      if (prefix !== undefined) await send([prefix])
      for await (const piece of filePieces(path)) {
        await send([piece])
        if (request.signal.aborted) return
      }
    },
    end: async () => undefined,
  })
}

const pieceBytes = 256 * 1024

async function* filePieces(path: string): AsyncGenerator<Exclude<AnswerPiece, string>> {
  await using file = await open(path, 'r')
  while (true) {
    const piece = new Uint8Array(pieceBytes)
    const { bytesRead } = await file.read(piece)
    if (bytesRead === 0) return
    yield piece.subarray(0, bytesRead)
  }
}
