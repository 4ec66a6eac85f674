/** First bytes of a connection: whether they begin TLS, and which protocols the client offers. Pure. */

export type Opening =
  | { readonly kind: 'incomplete' }
  /** Anything but TLS, such as HTTP in clear. */
  | { readonly kind: 'plain' }
  /** `protocols` are those of ALPN, empty without that extension or in a malformed message. */
  | { readonly kind: 'tls'; readonly protocols: readonly string[] }

const handshakeRecord = 0x16
const recordHeaderBytes = 5
/** Longest content of a TLS record. */
const recordBytes = 16_384
const alpnExtension = 16

/** Reads the first record of a connection. The decision needs at most 16,389 bytes. */
export function readOpening(bytes: Uint8Array): Opening {
  if (bytes.length === 0) return { kind: 'incomplete' }
  if (bytes[0] !== handshakeRecord) return { kind: 'plain' }
  if (bytes.length < recordHeaderBytes) return { kind: 'incomplete' }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = view.getUint16(3)
  // The TLS server itself refuses what is malformed.
  if (length > recordBytes) return { kind: 'tls', protocols: [] }
  if (bytes.length < recordHeaderBytes + length) return { kind: 'incomplete' }
  try {
    return { kind: 'tls', protocols: protocolsIn(view, recordHeaderBytes + length) }
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'tls', protocols: [] }
    throw error
  }
}

/** Returns the protocols of the ClientHello that ends at `end`. Throws RangeError where a length leads past the end. */
function protocolsIn(view: DataView, end: number): string[] {
  // Skips message type, message length, version and random.
  let at = recordHeaderBytes + 4 + 2 + 32
  at += 1 + view.getUint8(at)
  at += 2 + view.getUint16(at)
  at += 1 + view.getUint8(at)
  at += 2
  while (at + 4 <= end) {
    const [type, length] = [view.getUint16(at), view.getUint16(at + 2)]
    if (type === alpnExtension) return namesIn(view, at + 6, Math.min(at + 4 + length, end))
    at += 4 + length
  }
  return []
}

function namesIn(view: DataView, start: number, end: number): string[] {
  const names: string[] = []
  for (let at = start; at < end; at += 1 + view.getUint8(at)) {
    const bytes = Array.from({ length: view.getUint8(at) }, (_, index) => view.getUint8(at + 1 + index))
    names.push(String.fromCharCode(...bytes))
  }
  return names
}
