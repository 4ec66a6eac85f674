/** The Hugging Face hub as plain HTTP: what it says of files and repositories. All of it is checked: a hub may say anything. */
import type { HubAddress } from '../../catalog/hub-address.ts'
import { ask, type Network, NetworkError, redirectTarget } from '../network/network.ts'
import { type FileFacts, isTemporaryStatus, lengthIn, readJson } from './web-file.ts'

/** Where the hub gives a file, without further questions. */
export function hubFileAddress(network: Network, { repository, revision = 'main', path }: HubAddress): URL {
  return new URL(
    `${network.hub}/${repository}/resolve/${[revision, ...path.split('/')].map(encodeURIComponent).join('/')}`,
  )
}

/** Who has moved a repository, or a mirror that names the hub it mirrors, sends on a few times. */
const maximumRedirects = 5
const defaultHub = 'https://huggingface.co'

/**
 * What the hub says of a file: its size, its sum and the commit of the repository. Throws NetworkError that says what the hub's
 * refusal means.
 */
export async function hubFileFacts(network: Network, file: HubAddress, signal: AbortSignal): Promise<FileFacts> {
  let address = hubFileAddress(network, file)
  for (let count = 0; count <= maximumRedirects; count++) {
    const answer = await ask(network, address, { method: 'HEAD', signal })
    const { status, headers } = answer
    const isFile = headers.has('x-linked-etag') || (headers.has('x-repo-commit') && headers.has('etag'))
    const location = headers.get('location') ?? ''
    // An address of another host is where the content lies: of a file, this answer says all about it.
    if (status >= 200 && status < 400 && isFile && (status < 300 || /^https?:/.test(location))) return factsIn(headers)
    const target = await redirectTarget(network, address, answer)
    if (target === undefined && status < 400) return factsIn(headers)
    if (target === undefined) throw hubRefusal(network, `${file.repository}/${file.path}`, answer)
    address = target.origin === defaultHub ? new URL(network.hub + target.pathname) : target
  }
  throw new NetworkError(`${address.host} sends on and on for ${file.repository}`, { isTemporary: false })
}

function factsIn(headers: Headers): FileFacts {
  const tag = plainTag(headers.get('x-linked-etag') ?? headers.get('etag'))
  const commit = headers.get('x-repo-commit') ?? ''
  return {
    bytes: lengthIn(headers.get('x-linked-size')) ?? lengthIn(headers.get('content-length')),
    sha256: /^[0-9a-f]{64}$/.test(tag) ? tag : undefined,
    gitBlobSha1: /^[0-9a-f]{40}$/.test(tag) ? tag : undefined,
    commit: /^[0-9a-f]{40}$/.test(commit) ? commit : undefined,
  }
}

function plainTag(tag: string | null): string {
  return (tag ?? '').replace(/^W\//, '').replaceAll('"', '')
}

export interface HubFile {
  readonly path: string
  readonly bytes: number | undefined
  readonly sha256: string | undefined
}

const maximumPages = 100

/** All files of a repository. Throws NetworkError. */
export async function hubFiles(
  network: Network,
  { repository, revision = 'main' }: Omit<HubAddress, 'path'>,
  signal: AbortSignal,
): Promise<HubFile[]> {
  const files: HubFile[] = []
  let next: URL | undefined = new URL(
    `${network.hub}/api/models/${repository}/tree/${encodeURIComponent(revision)}?recursive=true`,
  )
  for (let page = 0; next !== undefined; page++) {
    if (page === maximumPages)
      throw new NetworkError(`${repository} has too many files to list`, { isTemporary: false })
    const refused = (_: URL, answer: Response) => hubRefusal(network, repository, answer)
    const { value, headers } = await readJson(network, next, { signal, refused })
    if (!Array.isArray(value))
      throw new NetworkError(`${network.hub} lists no files of ${repository}`, { isTemporary: false })
    files.push(...value.flatMap(hubFile))
    next = nextPage(headers.get('link'), next)
  }
  return files
}

function hubFile(entry: unknown): HubFile[] {
  const { type, path, size, lfs } = Object(entry)
  if (type !== 'file' || typeof path !== 'string') return []
  const { oid, size: lfsSize } = Object(lfs)
  const bytes = [lfsSize, size].find((each) => Number.isSafeInteger(each) && each >= 0)
  const isSum = typeof oid === 'string' && /^[0-9a-f]{64}$/.test(oid)
  return [{ path, bytes, sha256: isSum ? oid : undefined }]
}

function nextPage(link: string | null, current: URL): URL | undefined {
  const [, found] = /<([^>]+)>;\s*rel="next"/.exec(link ?? '') ?? []
  const next = found === undefined ? null : URL.parse(found, current.href)
  // The list goes on where it began: the token must not leave.
  return next?.origin === current.origin ? next : undefined
}

const meanings: Readonly<Record<string, string>> = {
  RepoNotFound: 'there is no such repository, or it is private and HF_TOKEN does not open it',
  RevisionNotFound: 'the repository has no such revision',
  EntryNotFound: 'the repository has no such file',
  GatedRepo:
    "its owner asks everybody to accept terms first: do that on the hub's site, then set HF_TOKEN to a token of that account",
}

function hubRefusal(network: Network, what: string, { status, headers }: Response): NetworkError {
  const code = headers.get('x-error-code') ?? (status === 401 ? '' : status === 404 ? 'EntryNotFound' : '')
  const unauthorised = 'there is no such repository, or it is private or gated: set HF_TOKEN to a token that opens it'
  const meaning = meanings[code] ?? (status === 401 || status === 403 ? unauthorised : `the hub answered ${status}`)
  const problem = `${new URL(network.hub).host} does not give ${what}: ${meaning}`
  return new HubRefusal(problem, code, isTemporaryStatus(status))
}

/** The hub says no. */
export class HubRefusal extends NetworkError {
  /** The hub's own word, e.g. `RevisionNotFound`; empty where it said none. */
  readonly code: string

  constructor(message: string, code: string, isTemporary: boolean) {
    super(message, { isTemporary })
    this.code = code
  }
}
