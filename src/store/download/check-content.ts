/** Whether a file is the one that was promised: before it is fetched, and when it is there. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { FileSums } from '../hash-file.ts'
import type { PlannedFile } from '../plan.ts'
import type { ResolvedFile } from '../web/resolve-file.ts'

/** A file that is not what was promised. Fetching it again gives the same. */
export class ContentError extends Error {
  override name = 'ContentError'
}

/** What a file must be; undefined where nobody says. */
export interface Promised {
  readonly bytes: number | undefined
  readonly sha256: string | undefined
  readonly gitBlobSha1: string | undefined
  readonly commit: string | undefined
}

/** The plan's word, completed by the server's. Throws ContentError where they contradict each other. */
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

/** What differs between a whole file and its promise; undefined when nothing does. */
export async function contentProblem(path: string, sums: FileSums, promised: Promised): Promise<string | undefined> {
  const { bytes, sha256, gitBlobSha1 } = promised
  if (bytes !== undefined && bytes !== sums.bytes) return `has ${sums.bytes} bytes instead of ${bytes}`
  if (sha256 !== undefined && sha256 !== sums.sha256) return `has the sha256 ${sums.sha256} instead of ${sha256}`
  if (sha256 !== undefined || gitBlobSha1 === undefined) return undefined
  const found = await gitSumOf(path, sums.bytes)
  return found === gitBlobSha1 ? undefined : `has the git sum ${found} instead of ${gitBlobSha1}`
}

/** The hub knows small files by git's own sum alone. */
async function gitSumOf(path: string, bytes: number): Promise<string> {
  const hash = createHash('sha1').update(`blob ${bytes}\0`)
  for await (const piece of createReadStream(path)) hash.update(piece)
  return hash.digest('hex')
}

/** What two fetches of a file with a wrong sum say about the cause. */
export function sameMistake(first: FileSums, second: FileSums): string {
  if (first.sha256 === second.sha256) return 'it came twice with the same content, so the server has another file'
  const different = second.chunkSums.flatMap((sum, index) => (sum === first.chunkSums[index] ? [] : [index + 1]))
  const pieces = different.slice(0, 10).join(', ')
  return `pieces ${pieces} of ${second.chunkSums.length} came differently the second time, so the connection or this machine changes bytes`
}
