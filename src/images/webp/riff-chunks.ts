interface RiffChunk {
  /** Four characters. */
  readonly type: string
  /** Content of the chunk. A cut chunk has only the rest of the file. */
  readonly data: Buffer
}

/** Offset of a WebP file's first chunk, after `RIFF`, the file's length and `WEBP`. */
export const webpChunksStart = 12

const headBytes = 8

/** Yields at most `limit` chunks from `start` on. A chunk of odd length is followed by a padding byte. */
export function* riffChunks(bytes: Buffer, start: number, limit: number): Generator<RiffChunk> {
  let at = start
  for (let count = 0; count < limit && at + headBytes <= bytes.length; count++) {
    const length = bytes.readUInt32LE(at + 4)
    const from = at + headBytes
    yield { type: bytes.toString('latin1', at, at + 4), data: bytes.subarray(from, from + length) }
    at = from + length + (length % 2)
  }
}
