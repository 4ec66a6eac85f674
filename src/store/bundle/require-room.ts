import { statfs } from 'node:fs/promises'
import { BundleError } from './manifest.ts'

/** What models leave free on the disk of the data folder: the larger of the two. */
const reserve = { bytes: 5 * 2 ** 30, share: 0.02 }

/** Throws BundleError when the disk of this folder has not that much room. `keepsReserve`: other programs use it too. */
export async function requireRoom(
  folder: string,
  neededBytes: number,
  { keepsReserve }: { readonly keepsReserve: boolean },
) {
  if (neededBytes === 0) return
  const { bavail, bsize, blocks } = await statfs(folder)
  const reservedBytes = keepsReserve ? Math.max(reserve.bytes, reserve.share * blocks * bsize) : 0
  const freeBytes = bavail * bsize - reservedBytes
  if (freeBytes >= neededBytes) return
  const beside = keepsReserve ? ` beside the ${gigabytes(reservedBytes)} that are kept free` : ''
  throw new BundleError(
    `${folder} has ${gigabytes(Math.max(0, freeBytes))}${beside}, and ${gigabytes(neededBytes)} are needed; make room`,
  )
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`
}
