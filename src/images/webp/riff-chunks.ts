export interface RiffChunk {
  /** Four characters. */
  readonly type: string
  /** Of a chunk that is cut short: what there is. */
  readonly data: Buffer
}

/** Where the chunks of a WebP file begin, after `RIFF`, the file's length and `WEBP`. */
export const webpChunksStart = 12

const headBytes = 8

/** The chunks from `start` on, at most `limit` of them. Each has an even length, padded by a byte. */
export function* riffChunks(bytes: Buffer, start: number, limit: number): Generator<RiffChunk> {
  let at = start
  for (let count = 0; count < limit && at + headBytes <= bytes.length; count++) {
    const length = bytes.readUInt32LE(at + 4)
    const from = at + headBytes
    yield { type: bytes.toString('latin1', at, at + 4), data: bytes.subarray(from, from + length) }
    at = from + length + (length % 2)
  }
}
