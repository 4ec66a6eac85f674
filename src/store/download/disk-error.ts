import { dirname } from 'node:path'
import { realDisk } from '../disk.ts'

/** Error of a full disk. */
export class DiskFullError extends Error {
  override name = 'DiskFullError'
}

const fullCodes: Readonly<Record<string, string>> = {
  ENOSPC: 'has no room for it',
  EDQUOT: 'has no room for it in the quota of this user',
  EFBIG: 'takes no file of this size',
}

/**
 * Returns the error in words if the disk is full; any other error unchanged. `missingBytes` of the file are not written
 * yet; undefined if unknown.
 */
export async function asDiskError(error: unknown, target: string, missingBytes: number | undefined): Promise<unknown> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const problem = fullCodes[code]
  if (problem === undefined) return error
  const folder = dirname(target)
  const free = await realDisk.room(folder).then(
    ({ freeBytes }) => freeBytes,
    () => undefined,
  )
  const needs =
    missingBytes === undefined || free === undefined
      ? ''
      : `: ${missingBytes} bytes are missing, ${free} are free, so free ${Math.max(missingBytes - free, 1)} more`
  const kept = missingBytes === undefined ? '' : '; what is there is kept'
  const message = `the disk of ${folder} ${problem}${needs}${kept}; make room and run the same command again`
  return new DiskFullError(message, { cause: error })
}
