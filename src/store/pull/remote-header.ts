import { parseGgufHeader } from '../../catalog/gguf-header.ts'
import { FileError } from '../../catalog/stat-file.ts'
import type { PlannedFile } from '../plan.ts'
import type { WebClient } from '../web/web-client.ts'
import { WebError } from '../web/web-error.ts'

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
 * The beginning of a GGUF file that is not here, at least as far as its header goes. Throws FileError where it is not one,
 * WebError, and the signal's reason.
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
    const end = Math.min(wanted, sizeBytes)
    bytes = await readOn(client, new URL(address), { bytes, end, signal })
    try {
      parseGgufHeader({ sizeBytes, read: (offset, length) => piece(bytes, offset, length) })
      return bytes
    } catch (error) {
      if (error instanceof FileError) throw new FileError(`${name} ${error.message}`)
      if (!(error instanceof TooShort)) throw error
      if (bytes.length < end || end >= Math.min(sizeBytes, maximumBytes))
        throw new FileError(`${name} ${error.message}`)
    }
  }
}

function piece(bytes: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset + length > bytes.length) throw new TooShort(`has no header in its first ${bytes.length} bytes`)
  return bytes.subarray(offset, offset + length)
}

/** What is read of a file, up to `end`, after what was read before. */
async function readOn(
  client: WebClient,
  address: URL,
  { bytes: before, end, signal }: { readonly bytes: Uint8Array; readonly end: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const answer = await client.get(address, { headers: { range: `bytes=${before.length}-${end - 1}` }, signal })
  // A server without ranges sends everything: the rest is not read.
  let filled = answer.status === 206 ? before.length : 0
  const bytes = new Uint8Array(end)
  bytes.set(before)
  for await (const part of answer.pieces()) {
    bytes.set(part.subarray(0, end - filled), filled)
    filled += Math.min(part.length, end - filled)
    if (filled === end) break
  }
  return bytes.subarray(0, filled)
}
