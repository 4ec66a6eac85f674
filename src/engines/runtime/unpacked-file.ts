/**
 * Compares unpacked files with the executable's before native code loads them. Equal sizes and times prove nothing:
 * disks flip bits, a copy may be of another version, and anyone can set both.
 */
import { lstat, open } from 'node:fs/promises'
import type { EmbeddedFile } from './embedded-files.ts'

/** Checksums by the file's state when this process read it. Every write changes the state, even with a forged time. */
const sums = new Map<string, string>()

const pieceBytes = 1024 * 1024

/** Compares checksums the first time, and afterwards only whether the file was touched. */
export async function isAsPacked(
  path: string,
  { sizeBytes, sha256 }: Pick<EmbeddedFile, 'sizeBytes' | 'sha256'>,
): Promise<boolean> {
  const state = await stateOf(path)
  if (state === undefined || state.sizeBytes !== sizeBytes) return false
  const known = sums.get(state.key)
  if (known !== undefined) return known === sha256
  const sum = await sumOf(path).catch(() => 'unreadable')
  if ((await stateOf(path))?.key === state.key) sums.set(state.key, sum)
  return sum === sha256
}

/** Returns the file's state, the same for its hard links. Undefined if it is not a plain file. */
async function stateOf(path: string): Promise<{ readonly key: string; readonly sizeBytes: number } | undefined> {
  const found = await lstat(path, { bigint: true }).catch(() => undefined)
  if (found === undefined || !found.isFile()) return undefined
  const { dev, ino, size, mtimeNs, ctimeNs } = found
  return { key: [dev, ino, size, mtimeNs, ctimeNs].join(), sizeBytes: Number(size) }
}

async function sumOf(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  const piece = new Uint8Array(pieceBytes)
  const file = await open(path, 'r')
  try {
    while (true) {
      const { bytesRead } = await file.read(piece, 0, pieceBytes)
      if (bytesRead === 0) return hasher.digest('hex')
      hasher.update(piece.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}
