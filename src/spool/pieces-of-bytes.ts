const pieceBytes = 1024 * 1024

/** Yields bytes in pieces, as `Spool.write` takes them. */
export async function* piecesOfBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}
