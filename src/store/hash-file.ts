/** Checksums of files: of the whole, and of each chunk. */
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { ChunkSum, chunkBytes } from './chunk-sum.ts'
import { dropFromCache } from './libc.ts'

export interface FileSums {
  readonly bytes: number
  readonly sha256: string
  /** See `ChunkSum`. */
  readonly chunkSums: string[]
}

/** Bytes read at once: few enough that nothing else waits long. */
const pieceBytes = 1024 * 1024

export interface HashOptions {
  readonly signal?: AbortSignal | undefined
  /** Called after each piece with the bytes hashed so far. */
  readonly onBytes?: ((bytes: number) => void) | undefined
}

/** Yields an open file from its start, in little memory. A piece is valid until the next one is taken. */
export async function* piecesOf(file: FileHandle, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(pieceBytes)
  for (let offset = 0; ; ) {
    signal?.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, pieceBytes, offset)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    offset += bytesRead
  }
}

/** Reads a whole file in little memory. Throws the system's errors, and the signal's reason. */
export async function hashFile(path: string, { signal, onBytes }: HashOptions = {}): Promise<FileSums> {
  const sums = new RunningSums()
  await using file = await open(path, 'r')
  for await (const piece of piecesOf(file, signal)) {
    sums.add(piece)
    if (sums.bytes % chunkBytes === 0) dropFromCache(file.fd, sums.bytes - chunkBytes, chunkBytes)
    onBytes?.(sums.bytes)
  }
  return sums.end()
}

/** Checksums of bytes added in order. */
export class RunningSums {
  readonly #whole = createHash('sha256')
  readonly #chunks: string[] = []
  #chunk: ChunkSum | undefined
  #bytes = 0

  /** Bytes added so far. */
  get bytes(): number {
    return this.#bytes
  }

  add(bytes: Uint8Array): void {
    this.#whole.update(bytes)
    for (let start = 0; start < bytes.length; ) {
      const left = chunkBytes - (this.#bytes % chunkBytes)
      const part = bytes.subarray(start, start + left)
      this.#chunk ??= new ChunkSum()
      this.#chunk.add(part)
      start += part.length
      this.#bytes += part.length
      if (this.#bytes % chunkBytes === 0) this.#endChunk()
    }
  }

  /** Returns the checksums. Nothing can be added afterwards. */
  end(): FileSums {
    this.#endChunk()
    return { bytes: this.#bytes, sha256: this.#whole.digest('hex'), chunkSums: this.#chunks }
  }

  #endChunk(): void {
    if (this.#chunk !== undefined) this.#chunks.push(this.#chunk.end())
    this.#chunk = undefined
  }
}
