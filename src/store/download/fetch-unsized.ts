import type { Disk } from '../disk.ts'
import { type FileSums, hashFile } from '../hash-file.ts'
import type { ResolvedFile } from '../web/resolve-file.ts'
import type { FetchContext } from './fetch-context.ts'
import { discardPart, partPath } from './part-file.ts'

type UnsizedContext = Omit<FetchContext, 'part' | 'bytes' | 'connections'> & { target: string; disk: Disk }

/** Fetches a file whose length nobody knows, from its first byte to the end of the answer. It cannot be resumed. */
export async function fetchUnsized(context: UnsizedContext): Promise<FileSums> {
  const { source, patience, slots, target, disk } = context
  await discardPart(target, disk)
  await patience.persist(async () => {
    const used = source.resolved
    await slots.use(used.address.host, () => readAll(context, used))
  })
  return hashFile(partPath(target), { signal: context.signal })
}

async function readAll(
  { client, rate, signal, onBytes, target, disk }: UnsizedContext,
  { address, redirectedFrom }: ResolvedFile,
): Promise<void> {
  const answer = await client.get(address, { signal, redirectedFrom })
  const file = await disk.open(partPath(target))
  try {
    await file.truncate(0)
    let offset = 0
    for await (const piece of answer.pieces()) {
      await file.write(piece, offset)
      offset += piece.length
      onBytes(piece.length)
      await rate.take(piece.length, signal)
    }
    await file.flush()
  } finally {
    answer.close()
    await file.close()
  }
}
