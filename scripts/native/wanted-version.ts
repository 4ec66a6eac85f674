/**
 * Returns a copy of an ELF library that asks another library for version `to` instead of `from`. Changes the name,
 * which `.dynstr` holds once, and its hash, which `.gnu.version_r` holds once. Throws if either is not found exactly
 * once.
 */
export function replaceWantedVersion(library: Uint8Array, from: string, to: string): Uint8Array {
  if (from.length !== to.length)
    throw new Error(`${to} has another length than ${from}, so it does not fit in its place`)
  const changed = Buffer.from(library)
  Buffer.from(to).copy(changed, onlyPlace(changed, Buffer.from(`\0${from}\0`), `the version ${from}`) + 1)
  hashBytes(to).copy(changed, onlyPlace(changed, hashBytes(from), `the hash of ${from}`))
  return changed
}

function onlyPlace(content: Buffer, wanted: Buffer, name: string): number {
  const place = content.indexOf(wanted)
  if (place < 0) throw new Error(`the library does not have ${name}`)
  if (content.indexOf(wanted, place + 1) >= 0) throw new Error(`the library has ${name} in several places`)
  return place
}

/** Returns the bytes of System V's hash in little-endian order, which the loader compares before it compares names. */
function hashBytes(name: string): Buffer {
  let hash = 0
  for (const byte of Buffer.from(name)) {
    const shifted = ((hash << 4) + byte) >>> 0
    const high = shifted & 0xf000_0000
    hash = (shifted ^ (high >>> 24)) & ~high
  }
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(hash >>> 0)
  return bytes
}
