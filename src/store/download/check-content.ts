/** Comparison of a file with its promised content, before the download and after it. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { FileSums } from '../hash-file.ts'
import type { PlannedFile } from '../plan.ts'
import type { ResolvedFile } from '../web/resolve-file.ts'

/** Error of a file that differs from the promised one. Fetching it again gives the same. */
export class ContentError extends Error {
  override name = 'ContentError'
}

/** Expected properties of a file. Undefined ones are unknown. */
export interface Promised {
  readonly bytes: number | undefined
  readonly sha256: string | undefined
  readonly gitBlobSha1: string | undefined
  readonly commit: string | undefined
}

/**
 * Returns the properties from the plan, completed by the server's. Throws ContentError if they contradict each other.
 */
export function promisedContent(planned: PlannedFile, resolved: ResolvedFile): Promised {
  const both = (field: 'bytes' | 'sha256' | 'gitBlobSha1', what: string) => {
    const [wanted, told] = [planned[field], resolved[field]]
    if (wanted === undefined || told === undefined || wanted === told) return wanted ?? told
    const at = resolved.commit === undefined ? '' : ` at commit ${resolved.commit}`
    const host = new URL(planned.address).host
    throw new ContentError(`${planned.name}: expected is the ${what} ${wanted}, ${host} says ${told}${at}`)
  }
  const text = (value: string | number | undefined) => (value === undefined ? undefined : String(value))
  const bytes = both('bytes', 'length')
  return {
    bytes: bytes === undefined ? undefined : Number(bytes),
    sha256: text(both('sha256', 'sha256')),
    gitBlobSha1: text(both('gitBlobSha1', 'git sum')),
    commit: resolved.commit ?? planned.commit,
  }
}

/** Returns the difference between a complete file and its promise; undefined if none. */
export async function contentProblem(path: string, sums: FileSums, promised: Promised): Promise<string | undefined> {
  const { bytes, sha256, gitBlobSha1 } = promised
  if (bytes !== undefined && bytes !== sums.bytes) return `has ${sums.bytes} bytes instead of ${bytes}`
  if (sha256 !== undefined && sha256 !== sums.sha256) return `has the sha256 ${sums.sha256} instead of ${sha256}`
  if (sha256 !== undefined || gitBlobSha1 === undefined) return undefined
  const found = await gitSumOf(path, sums.bytes)
  return found === gitBlobSha1 ? undefined : `has the git sum ${found} instead of ${gitBlobSha1}`
}

/** Returns git's checksum, the only one that the hub has for small files. */
async function gitSumOf(path: string, bytes: number): Promise<string> {
  const hash = createHash('sha1').update(`blob ${bytes}\0`)
  for await (const piece of createReadStream(path)) hash.update(piece)
  return hash.digest('hex')
}

/** Returns what two fetches of a file with a wrong checksum tell about the cause. */
export function sameMistake(first: FileSums, second: FileSums): string {
  if (first.sha256 === second.sha256) return 'it came twice with the same content, so the server has another file'
  const different = second.chunkSums.flatMap((sum, index) => (sum === first.chunkSums[index] ? [] : [index + 1]))
  const pieces = different.slice(0, 10).join(', ')
  return `pieces ${pieces} of ${second.chunkSums.length} came differently the second time, so the connection or this machine changes bytes`
}
