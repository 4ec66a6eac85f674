import { dirname } from 'node:path'
import { type Disk, keptFreeBytes } from '../disk.ts'
import { type FileSums, hashFile } from '../hash-file.ts'
import type { ResolvedFile } from '../web/resolve-file.ts'
import { DiskFullError } from './disk-error.ts'
import type { FetchContext } from './fetch-context.ts'
import { discardPart, partPath } from './part-file.ts'

type UnsizedContext = Omit<FetchContext, 'part' | 'bytes' | 'connections'> & { target: string; disk: Disk }

/**
 * Fetches a file of unknown length, from its first byte to the end of the answer. It cannot be resumed: after a failure
 * nothing is left. Throws DiskFullError also if the file would take the space that must stay free.
 */
export async function fetchUnsized(context: UnsizedContext): Promise<FileSums> {
  const { source, patience, slots, target, disk } = context
  await discardPart(target, disk)
  const { freeBytes, totalBytes } = await disk.room(dirname(target))
  // An answer may never end. On a nearly full disk, where the operator tries nevertheless, it may take half of the free
  // space.
  const limitBytes = Math.max(freeBytes - keptFreeBytes(totalBytes), freeBytes / 2)
  try {
    await patience.persist(async () => {
      const used = source.resolved
      await slots.use(used.address.host, () => readAll(context, used, limitBytes))
    })
    return await hashFile(partPath(target), { signal: context.signal })
  } catch (error) {
    await discardPart(target, disk)
    throw error
  }
}

async function readAll(
  { client, rate, signal, onBytes, target, disk }: UnsizedContext,
  { address, redirectedFrom }: ResolvedFile,
  limitBytes: number,
): Promise<void> {
  await using file = await disk.open(partPath(target))
  await file.truncate(0)
  const answer = await client.get(address, { signal, redirectedFrom })
  let offset = 0
  for await (const piece of answer.pieces()) {
    if (offset + piece.length > limitBytes) throw tooLong(address, offset)
    await file.write(piece, offset)
    offset += piece.length
    onBytes(piece.length)
    await rate.take(piece.length, signal)
  }
  await file.flush()
}

function tooLong({ host }: URL, bytes: number): DiskFullError {
  return new DiskFullError(
    `${host} does not say how long the file is, and after ${bytes} bytes the disk has no more room for it: make room, or find a server that says it`,
  )
}
