/** Values on a stream of bytes: each after its length in four bytes. */
import { deserialize, serialize } from 'node:v8'

const headBytes = 4

export function toFrame(value: unknown): Buffer {
  const body = serialize(value)
  const head = Buffer.alloc(headBytes)
  head.writeUInt32LE(body.length)
  return Buffer.concat([head, body])
}

/** Yields the values of whole frames as they arrive. Throws RangeError for one that is longer than the limit. */
export async function* readFrames(stream: AsyncIterable<Uint8Array>, limitBytes: number): AsyncGenerator<unknown> {
  let pieces: Uint8Array[] = []
  let held = 0
  let wanted = headBytes
  let isHead = true
  for await (const piece of stream) {
    pieces.push(piece)
    held += piece.length
    // Joined only once a part is whole, since pieces are small and frames are not.
    while (held >= wanted) {
      const bytes = Buffer.concat(pieces)
      const part = bytes.subarray(0, wanted)
      pieces = [bytes.subarray(wanted)]
      held -= wanted
      wanted = isHead ? part.readUInt32LE() : headBytes
      if (wanted > limitBytes) throw new RangeError('a frame is too long')
      if (!isHead) yield deserialize(part)
      isHead = !isHead
    }
  }
}
