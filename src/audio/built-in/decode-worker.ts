/** Thread that decodes one file. */

import { errorText } from '../../core/error-text.ts'
import { decodeByLibav } from './decode-by-libav.ts'
import { Undecodable } from './undecodable.ts'

declare const self: Worker

/** Message to the thread. The first one names the file, each one asks for the next piece. */
export interface ToDecoder {
  readonly path: string
  readonly demuxer: string
  /** Offset of the container in the file. */
  readonly startByte: number
}

export type FromDecoder =
  | { readonly type: 'piece'; readonly piece: Uint8Array<ArrayBuffer> }
  | { readonly type: 'end' }
  | { readonly type: 'undecodable'; readonly reason: string; readonly needsFfmpeg: boolean }
  | { readonly type: 'failed'; readonly message: string }

const pieceBytes = 256 * 1024
let pieces: AsyncGenerator<Uint8Array<ArrayBuffer>> | undefined

// Not `onmessage`, which the library sets for its own protocol.
self.addEventListener('message', ({ data }: MessageEvent<ToDecoder>) => {
  pieces ??= decodeByLibav(data)
  void answer(pieces)
})

async function answer(source: AsyncGenerator<Uint8Array<ArrayBuffer>>): Promise<void> {
  try {
    const piece = await nextPiece(source)
    if (piece.length === 0) tell({ type: 'end' })
    else tell({ type: 'piece', piece }, [piece.buffer])
  } catch (error) {
    if (error instanceof Undecodable)
      tell({ type: 'undecodable', reason: error.message, needsFfmpeg: error.needsFfmpeg })
    else tell({ type: 'failed', message: errorText(error) })
  }
}

/** Returns frames joined into a piece. A frame holds a few milliseconds. */
async function nextPiece(source: AsyncGenerator<Uint8Array<ArrayBuffer>>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let bytes = 0
  while (bytes < pieceBytes) {
    const { done, value } = await source.next()
    if (done === true) break
    parts.push(value)
    bytes += value.length
  }
  return new Uint8Array(Buffer.concat(parts))
}

function tell(message: FromDecoder, transfer: ArrayBuffer[] = []): void {
  self.postMessage(message, transfer)
}
