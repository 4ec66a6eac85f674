import { type GgufHeader, parseGgufHeader } from '../../catalog/gguf-header.ts'
import { FileError } from '../../catalog/stat-file.ts'
import type { PlannedFile } from '../plan.ts'
import type { WebClient } from '../web/web-client.ts'
import { WebError } from '../web/web-error.ts'

/** The beginning of a GGUF file that is not here, as far as its header goes. */
export interface RemoteHeader {
  readonly header: GgufHeader
  readonly bytes: Uint8Array
}

const MiB = 1024 ** 2
const firstBytes = 16 * MiB
/** Headers hold the vocabulary, and the names of all tensors: 30 MB are many. */
const maximumBytes = 256 * MiB

/** More of the file is needed. */
class TooShort extends Error {
  override name = 'TooShort'
}

/** Reads a GGUF file's header from its source. Throws FileError where it is not one, WebError, and the signal's reason. */
export async function readRemoteHeader(
  client: WebClient,
  { address, name, bytes: sizeBytes }: Pick<PlannedFile, 'address' | 'name' | 'bytes'>,
  signal: AbortSignal,
): Promise<RemoteHeader> {
  if (sizeBytes === undefined) throw new WebError('final', `the server does not say how long ${name} is`)
  for (let wanted = firstBytes; ; wanted *= 4) {
    const bytes = await readBeginning(client, new URL(address), { wanted: Math.min(wanted, sizeBytes), signal })
    try {
      return { header: parseGgufHeader({ sizeBytes, read: (offset, length) => piece(bytes, offset, length) }), bytes }
    } catch (error) {
      if (error instanceof FileError) throw new FileError(`${name} ${error.message}`)
      if (!(error instanceof TooShort) || bytes.length >= Math.min(sizeBytes, maximumBytes)) throw error
    }
  }
}

function piece(bytes: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset + length > bytes.length) throw new TooShort(`the header is longer than ${bytes.length} bytes`)
  return bytes.subarray(offset, offset + length)
}

async function readBeginning(
  client: WebClient,
  address: URL,
  { wanted, signal }: { readonly wanted: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  // A server without ranges sends everything: the rest is not read.
  const answer = await client.get(address, { headers: { range: `bytes=0-${wanted - 1}` }, signal })
  const bytes = new Uint8Array(wanted)
  let filled = 0
  for await (const part of answer.pieces()) {
    bytes.set(part.subarray(0, wanted - filled), filled)
    filled += Math.min(part.length, wanted - filled)
    if (filled === wanted) break
  }
  return bytes.subarray(0, filled)
}
