/** The Hugging Face hub as plain HTTP. Its lists are checked, since a hub is not trusted. */
import type { HubAddress } from '../../catalog/hub-address.ts'
import { fileNameProblem } from '../../core/file-name.ts'
import { readJson } from '../web/read-json.ts'
import { below, type WebClient } from '../web/web-client.ts'
import { WebError } from '../web/web-error.ts'

/** A hub and the client for it. */
export interface Hub {
  readonly client: WebClient
  /** Base address, without a slash at its end. */
  readonly endpoint: string
}

/** Returns the address of a file on the hub. */
export function hubFileAddress({ endpoint }: Hub, { repository, revision = 'main', path }: HubAddress): URL {
  const parts = [revision, ...path.split('/')].map(encodeURIComponent)
  return new URL(`${endpoint}/${repository}/resolve/${parts.join('/')}`)
}

const maximumPages = 100
const maximumPageBytes = 8 * 1024 * 1024
/** Most files of a repository that are listed. */
const maximumFiles = 100_000

/** A file of a repository. */
export interface HubFile {
  readonly path: string
  /** Undefined if the hub does not tell it. */
  readonly bytes: number | undefined
}

/** Returns the paths of all files of a repository with plain names. Throws WebError. */
export async function hubPaths(...asked: Parameters<typeof hubFiles>): Promise<string[]> {
  return (await hubFiles(...asked)).map(({ path }) => path)
}

/** Returns all files of a repository with plain names. Throws WebError. */
export async function hubFiles(
  { client, endpoint }: Hub,
  { repository, revision = 'main' }: Omit<HubAddress, 'path'>,
  signal: AbortSignal,
): Promise<HubFile[]> {
  const files: HubFile[] = []
  const first = `${endpoint}/api/models/${repository}/tree/${encodeURIComponent(revision)}?recursive=true`
  let next: URL | undefined = new URL(first)
  for (let page = 0; next !== undefined; page++) {
    if (page === maximumPages) throw new WebError('final', `${repository} has too many files to list`)
    const address: URL = next
    const { found, link } = await client.ask(async () => {
      const answer = await client.get(address, { headers: { accept: 'application/json' }, signal })
      const found = filesIn(await readJson(answer, maximumPageBytes), repository)
      return { found, link: answer.headers.get('link') }
    }, signal)
    for (const file of found) files.push(file) // too many for the arguments of one call
    if (files.length > maximumFiles) throw new WebError('final', `${repository} has too many files to list`)
    next = nextPage(link, address, endpoint)
  }
  return files
}

function filesIn(listed: unknown, repository: string): HubFile[] {
  if (!Array.isArray(listed))
    throw new WebError('final', `the hub does not list the files of ${repository}: is it one?`)
  return listed.flatMap((entry) => {
    const { type, path, size } = Object(entry)
    if (type !== 'file' || typeof path !== 'string' || fileNameProblem(path) !== undefined) return []
    return [{ path, bytes: Number.isSafeInteger(size) && size >= 0 ? Number(size) : undefined }]
  })
}

function nextPage(link: string | null, current: URL, endpoint: string): URL | undefined {
  const [, found] = /<([^>]+)>;\s*rel="next"/.exec(link ?? '') ?? []
  const next = found === undefined ? null : URL.parse(found, current.href)
  if (next === null) return undefined
  // A mirror may name the hub that it mirrors. The next page is asked of the same origin: the token must not go
  // elsewhere.
  const { origin, pathname } = new URL(`${endpoint}/`)
  return below(next.pathname.startsWith(pathname) ? origin : endpoint, next)
}
