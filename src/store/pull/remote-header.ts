import { parseGgufHeader } from '../../catalog/gguf-header.ts'
import { FileError } from '../../catalog/stat-file.ts'
import type { PlannedFile } from '../plan.ts'
import type { WebClient } from '../web/web-client.ts'
import { shownAddress, WebError } from '../web/web-error.ts'

const MiB = 1024 ** 2
/** First request. The headers of later parts of a split model are shorter than this. */
const firstBytes = MiB
/** Largest header. It holds the vocabulary and the names of all tensors; 30 MB are already unusual. */
const maximumBytes = 256 * MiB

/** The parser needs more of the file. */
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
    bytes = await readOn({ client, address: new URL(address), signal }, bytes, Math.min(wanted, sizeBytes))
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

interface RemoteFile {
  readonly client: WebClient
  readonly address: URL
  readonly signal: AbortSignal
}

/**
 * Returns the first `end` bytes of a file; `before` holds those already read. A retry keeps the bytes that arrived
 * before an answer ended early.
 */
async function readOn({ client, address, signal }: RemoteFile, before: Uint8Array, end: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(end)
  bytes.set(before)
  let filled = before.length
  const ask = async () => {
    if (filled === end) return
    const answer = await client.get(address, { headers: { range: `bytes=${filled}-${end - 1}` }, signal })
    // A server without ranges sends the file from the start; bytes after `end` are not read.
    if (answer.status !== 206) filled = 0
    for await (const part of answer.pieces()) {
      const wanted = part.subarray(0, end - filled)
      bytes.set(wanted, filled)
      filled += wanted.length
      if (filled === end) return
    }
    throw new WebError('again', `${shownAddress(address)} answers ${end - filled} bytes less than were asked for`)
  }
  await client.ask(ask, signal)
  return bytes
}
