import { parseGgufHeader } from '../../catalog/gguf-header.ts'
import { FileError } from '../../catalog/stat-file.ts'
import type { PlannedFile } from '../plan.ts'
import type { WebClient } from '../web/web-client.ts'
import { shownAddress, WebError } from '../web/web-error.ts'

const MiB = 1024 ** 2
/** The later parts of a split model have short headers. */
const firstBytes = MiB
/** Headers hold the vocabulary, and the names of all tensors: 30 MB are many. */
const maximumBytes = 256 * MiB

/** More of the file is needed. */
class TooShort extends Error {
  override name = 'TooShort'
}

/**
 * Returns the beginning of a remote GGUF file, at least its header. Throws FileError if it is another file, WebError,
 * and the signal's reason.
 */
export async function readRemoteHeader(
  client: WebClient,
  { address, name, bytes: sizeBytes }: Pick<PlannedFile, 'address' | 'name' | 'bytes'>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (sizeBytes === undefined) throw new WebError('final', `the server does not say how long ${name} is`)
  if (sizeBytes === 0) throw new FileError(`${name} is empty`)
  let bytes: Uint8Array = new Uint8Array()
  for (let wanted = firstBytes; ; wanted *= 4) {
    const beginning = new Beginning(new URL(address), bytes, Math.min(wanted, sizeBytes))
    await client.ask(() => beginning.readOn(client, signal), signal)
    bytes = beginning.bytes
    try {
      parseGgufHeader({ sizeBytes, read: (offset, length) => piece(bytes, offset, length) })
      return bytes
    } catch (error) {
      if (error instanceof FileError) throw new FileError(`${name} ${error.message}`)
      if (!(error instanceof TooShort)) throw error
      if (bytes.length >= Math.min(sizeBytes, maximumBytes)) throw new FileError(`${name} ${error.message}`)
    }
  }
}

function piece(bytes: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset + length > bytes.length) throw new TooShort(`has no header in its first ${bytes.length} bytes`)
  return bytes.subarray(offset, offset + length)
}

/** The beginning of a file that is not here, as far as it was read. */
class Beginning {
  readonly #address: URL
  readonly bytes: Uint8Array
  #filled: number

  /** `before` are the known bytes, `end` is the number of wanted ones. */
  constructor(address: URL, before: Uint8Array, end: number) {
    this.#address = address
    this.bytes = new Uint8Array(end)
    this.bytes.set(before)
    this.#filled = before.length
  }

  /** Reads the missing bytes. Keeps arrived bytes even if the answer ends early, which throws WebError. */
  async readOn(client: WebClient, signal: AbortSignal): Promise<void> {
    const { length: end } = this.bytes
    if (this.#filled === end) return
    const headers = { range: `bytes=${this.#filled}-${end - 1}` }
    const answer = await client.get(this.#address, { headers, signal })
    // A server without ranges sends everything: the rest is not read.
    if (answer.status !== 206) this.#filled = 0
    for await (const part of answer.pieces()) {
      const wanted = part.subarray(0, end - this.#filled)
      this.bytes.set(wanted, this.#filled)
      this.#filled += wanted.length
      if (this.#filled === end) return
    }
    throw new WebError(
      'again',
      `${shownAddress(this.#address)} answers ${end - this.#filled} bytes less than were asked for`,
    )
  }
}
