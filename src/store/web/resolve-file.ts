import type { Answer } from './answer.ts'
import { tooManyRedirects, type WebClient } from './web-client.ts'
import { shownAddress, WebError } from './web-error.ts'

/** Server's facts about a file before the download. */
export interface ResolvedFile {
  /** Address of the bytes. May be signed and expire within minutes. */
  readonly address: URL
  /** Address that redirected to `address`. */
  readonly redirectedFrom: URL | undefined
  readonly bytes: number | undefined
  readonly sha256: string | undefined
  readonly gitBlobSha1: string | undefined
  /** Strong tag of the content. Undefined if the server gives none. */
  readonly tag: string | undefined
  /** Tag that `address` itself gives this content. */
  readonly addressTag: string | undefined
  /** Commit of the file on a hub, 40 hexadecimal digits. Undefined for other servers. */
  readonly commit: string | undefined
  /** True if the server supports ranges. */
  readonly hasRanges: boolean
}

const redirectLimit = 5

/**
 * Requests a file's head and follows redirects. Stops early at a hub's own headers: they hold all facts, and its signed
 * addresses are for one use. Throws WebError.
 */
export async function resolveFile(client: WebClient, address: URL, signal?: AbortSignal): Promise<ResolvedFile> {
  let next: { address: URL; redirectedFrom: URL | undefined } = { address, redirectedFrom: undefined }
  for (let hop = 0; hop <= redirectLimit; hop++) {
    const answer = await askHead(client, next, signal)
    answer.close()
    const target = client.redirectOf(answer)
    if (target === undefined) {
      answer.requireSuccess()
      return { ...next, ...headersOf(answer) }
    }
    next = { address: target, redirectedFrom: answer.address }
    const linked = headersOf(answer)
    if (answer.headers.has('x-linked-size')) return { ...next, ...linked, addressTag: undefined, hasRanges: true }
  }
  throw tooManyRedirects(address)
}

/** Sends HEAD, or requests the first byte if a server refuses that, as signed addresses do. */
async function askHead(
  client: WebClient,
  { address, redirectedFrom }: { address: URL; redirectedFrom: URL | undefined },
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const head = await client.send(address, { method: 'HEAD', signal, redirectedFrom })
  if (![403, 405, 501].includes(head.status) || head.headers.has('x-error-code')) return head
  head.close()
  return client.send(address, { headers: { range: 'bytes=0-0' }, signal, redirectedFrom })
}

type Facts = Omit<ResolvedFile, 'address' | 'redirectedFrom'>

function headersOf({ address, status, headers }: Answer): Facts {
  const tag = tagOf(headers.get('x-linked-etag') ?? headers.get('etag'))
  const commit = headers.get('x-repo-commit') ?? ''
  const isHub = headers.has('x-repo-commit')
  const bytes = status === 206 ? totalOf(headers) : (headers.get('x-linked-size') ?? headers.get('content-length'))
  const isEncoded = (headers.get('content-encoding') ?? 'identity') !== 'identity'
  if (bytes !== null && !/^\d{1,15}$/.test(bytes)) {
    throw new WebError('final', `${shownAddress(address)} says its length is "${bytes}"`)
  }
  return {
    bytes: bytes === null || isEncoded ? undefined : Number(bytes),
    sha256: isHub && /^[0-9a-f]{64}$/.test(tag ?? '') ? tag : undefined,
    gitBlobSha1: isHub && /^[0-9a-f]{40}$/.test(tag ?? '') ? tag : undefined,
    tag,
    addressTag: tagOf(headers.get('etag')),
    commit: /^[0-9a-f]{40}$/.test(commit) ? commit : undefined,
    hasRanges: status === 206 || headers.get('accept-ranges') === 'bytes',
  }
}

function totalOf(headers: Headers): string | null {
  return /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] ?? null
}

/** Returns the tag without quotes. Weak tags do not identify bytes, except the hub's, which are checksums. */
export function tagOf(text: string | null): string | undefined {
  const [, weak, tag] = /^(W\/)?"?([^"]{1,200})"?$/.exec(text ?? '') ?? []
  return weak === undefined || /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(tag ?? '') ? tag : undefined
}
