import type { ShippedRecord } from './shipped-record.ts'
import { SinkRefusal } from './sink.ts'

interface Sending<Sent> {
  /** Rejects with SinkRefusal if the receiver takes nothing of the piece. */
  send(piece: readonly Sent[]): Promise<void>
  /** Called for each piece that is never taken, before `done`. */
  refused(piece: readonly Sent[], refusal: SinkRefusal): void
  /** Called for each piece in order, once it was taken or refused for good. */
  done(piece: readonly Sent[]): Promise<void> | void
}

/** Pieces that are halved in a row while none is taken. Where all records are wrong, this saves a request for each. */
const maximumHalved = 40

/**
 * Sends records in order. A piece that the receiver refuses for good is halved, down to a single record: so one wrong
 * record takes no others with it, and a batch that is too large arrives in smaller ones. Rejects as `send` does if the
 * same piece may be taken later.
 */
export async function sendInPieces<Sent extends ShippedRecord>(
  batch: readonly Sent[],
  { send, refused, done }: Sending<Sent>,
): Promise<void> {
  const pieces = [batch]
  let halved = 0
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    const refusal = await refusalOf(send(piece))
    const isHalved = refusal !== undefined && piece.length > 1 && (refusal.kind === 'size' || halved < maximumHalved)
    if (isHalved) {
      if (refusal.kind === 'records') halved++
      const middle = piece.length >> 1
      pieces.push(piece.slice(middle), piece.slice(0, middle))
      continue
    }
    if (refusal === undefined) halved = 0
    else refused(piece, refusal)
    await done(piece)
  }
}

/** Returns the refusal that later tries would get as well; undefined if the records were taken. */
async function refusalOf(sending: Promise<void>): Promise<SinkRefusal | undefined> {
  try {
    await sending
    return undefined
  } catch (error) {
    if (error instanceof SinkRefusal && error.kind !== 'for-now') return error
    throw error
  }
}
