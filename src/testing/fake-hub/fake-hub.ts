/**
 * A model hub on loopback: repositories with revisions, signed addresses on a second origin that expire, listings,
 * gates, and faults. Tests change its behaviour by its fields.
 */
import { createHash } from 'node:crypto'
import { type Fault, withFault } from './fault.ts'
import { type RawReply, type RawRequest, startRawServer } from './raw-http.ts'

export interface HubRepository {
  readonly id: string
  /** 40 digits. */
  commit: string
  readonly branch: string
  readonly files: Map<string, HubFile>
  license?: string
  /** Name of the hub for what its models do, such as `text-generation`. */
  task?: string
  downloads?: number
  /** Token needed to read the repository. Requests without it get 401; if `isAccepted` is false, all others get 403. */
  token?: string
  isAccepted?: boolean
}

export interface HubFile {
  readonly content: Uint8Array
  /** True for a large file: its tag is its sha256, and its bytes come from the store. Other files are git blobs. */
  readonly isLinked: boolean
  readonly sha256: string
  readonly gitBlobSha1: string
}

export interface HubRequest extends RawRequest {
  readonly at: 'hub' | 'store'
  /** Number of the request at this origin, from 1. */
  readonly number: number
}

export interface FakeHub extends AsyncDisposable {
  readonly origin: string
  /** Second origin. Serves signed addresses, and `/plain/<org>/<repo>/<path>` like any server. */
  readonly storeOrigin: string
  readonly requests: readonly HubRequest[]
  readonly repositories: Map<string, HubRepository>
  /** Adds a file to a repository, which is created if missing. */
  put(repository: string, path: string, content: Uint8Array, options?: { isLinked?: boolean }): HubRepository
  /** Returns the fault of a request; none by default. The request waits for the result. */
  fault: (request: HubRequest) => Fault | undefined | Promise<undefined>
  /** Number of requests that a signed address allows. */
  addressUses: number
  /** Entries per page of a listing. */
  pageSize: number
}

const none = new Uint8Array()
const text = (content: unknown) => new TextEncoder().encode(JSON.stringify(content))
const error = (status: number, code: string): RawReply => ({ status, headers: { 'x-error-code': code }, body: none })
export const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const blobSha1Of = (bytes: Uint8Array) =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')

export async function startFakeHub(): Promise<FakeHub> {
  const requests: HubRequest[] = []
  const signed = new Map<string, { content: Uint8Array; usesLeft: number }>()
  const repositories = new Map<string, HubRepository>()
  const count = (at: 'hub' | 'store') => requests.filter((request) => request.at === at).length

  const note = async (at: 'hub' | 'store', raw: RawRequest, answer: (request: HubRequest) => RawReply) => {
    const request = { ...raw, at, number: count(at) + 1 }
    requests.push(request)
    const fault = await hub.fault(request)
    if (fault === undefined) return answer(request)
    const whole = new Headers(request.headers)
    whole.delete('range')
    return withFault(fault, answer(request), () => answer({ ...request, headers: whole }))
  }
  const store = await startRawServer((raw) => note('store', raw, answerStore))
  const front = await startRawServer((raw) => note('hub', raw, answerHub))

  function answerStore({ url, headers }: HubRequest): RawReply {
    const [, plain] = /^\/plain\/(.+)$/.exec(decodeURIComponent(url.pathname)) ?? []
    if (plain !== undefined) {
      const [org, name, ...path] = plain.split('/')
      const file = repositories.get(`${org}/${name}`)?.files.get(path.join('/'))
      if (file === undefined) return { status: 404, headers: {}, body: none }
      return slice(file.content, headers, { etag: `"${file.gitBlobSha1}"` })
    }
    const entry = signed.get(url.searchParams.get('signature') ?? '')
    if (entry === undefined || entry.usesLeft-- <= 0) return { status: 403, headers: {}, body: none }
    return slice(entry.content, headers, {})
  }

  function answerHub({ url, headers, method }: HubRequest): RawReply {
    const path = decodeURIComponent(url.pathname)
    const [, id = '', rest = ''] = /^\/(?:api\/models\/)?([^/]+\/[^/]+)(\/.*)?$/.exec(path) ?? []
    if (path === '/api/models') return json(search(url.searchParams))
    const repository = repositories.get(id)
    if (repository === undefined) return error(401, 'RepoNotFound')
    const refused = gate(repository, headers)
    if (refused !== undefined) return refused
    if (path.startsWith('/api/')) return answerApi(repository, rest, url)
    const [, revision = '', name = ''] = /^\/resolve\/([^/]+)\/(.+)$/.exec(rest) ?? []
    if (![repository.commit, repository.branch].includes(revision)) return error(404, 'RevisionNotFound')
    const file = repository.files.get(name)
    if (file === undefined) return error(404, 'EntryNotFound')
    const commit = { 'x-repo-commit': repository.commit }
    if (!file.isLinked) return slice(file.content, headers, { ...commit, etag: `"${file.gitBlobSha1}"` })
    const signature = `${file.sha256.slice(0, 8)}-${signed.size}`
    signed.set(signature, { content: file.content, usesLeft: hub.addressUses })
    const linked = {
      'x-linked-etag': `"${file.sha256}"`,
      'x-linked-size': String(file.content.length),
      location: `${store.origin}/blobs/${file.sha256}?signature=${signature}`,
    }
    return { status: 302, headers: { ...commit, ...linked }, body: method === 'HEAD' ? none : text('Found') }
  }

  function answerApi(repository: HubRepository, rest: string, url: URL): RawReply {
    const { commit, branch, files } = repository
    if (rest === '/refs')
      return json({ branches: [{ name: branch, ref: `refs/heads/${branch}`, targetCommit: commit }] })
    if (rest === '' || rest === `/revision/${branch}` || rest === `/revision/${commit}`)
      return json({ ...factsOf(repository), cardData: { license: repository.license } })
    const [, revision = ''] = /^\/tree\/([^/]+)$/.exec(rest) ?? []
    if (![commit, branch].includes(revision)) return error(404, 'RevisionNotFound')
    const start = Number(url.searchParams.get('cursor') ?? 0)
    const entries = [...files].map(([path, file]) => entryOf(path, file))
    const next = `${front.origin}${url.pathname}?recursive=true&cursor=${start + hub.pageSize}`
    const link = start + hub.pageSize < entries.length ? { link: `<${next}>; rel="next"` } : {}
    return json(entries.slice(start, start + hub.pageSize), link)
  }

  /** Returns the repositories with GGUF files whose names hold all words. */
  function search(asked: URLSearchParams): object[] {
    const words = (asked.get('search') ?? '').toLowerCase().split(' ')
    return [...repositories.values()]
      .filter(({ id, files }) => words.every((word) => id.toLowerCase().includes(word)) && hasGguf(files))
      .toSorted((left, right) => (right.downloads ?? 0) - (left.downloads ?? 0))
      .slice(0, Number(asked.get('limit') ?? 100))
      .map(factsOf)
  }

  const hub: FakeHub = {
    origin: front.origin,
    storeOrigin: store.origin,
    requests,
    repositories,
    put(id, path, content, { isLinked = true } = {}) {
      const known = repositories.get(id)
      const commit = createHash('sha1')
        .update(`${id} ${known?.files.size ?? 0}`)
        .digest('hex')
      const repository = known ?? { id, commit, branch: 'main', files: new Map() }
      repository.files.set(path, { content, isLinked, sha256: sha256Of(content), gitBlobSha1: blobSha1Of(content) })
      repositories.set(id, repository)
      return repository
    },
    fault: () => undefined,
    addressUses: Number.MAX_SAFE_INTEGER,
    pageSize: 1000,
    [Symbol.asyncDispose]: async () => {
      await front[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
  return hub
}

const hasGguf = (files: HubRepository['files']) => [...files.keys()].some((path) => path.endsWith('.gguf'))

function factsOf({ id, commit, license, task, token, downloads = 0 }: HubRepository): object {
  const tags = ['gguf', ...(license === undefined ? [] : [`license:${license}`])]
  const gated = token === undefined ? false : 'manual'
  const lastModified = '2025-01-02T03:04:05.000Z'
  return { id, sha: commit, gated, tags, downloads, likes: 1, lastModified, pipeline_tag: task }
}

function json(content: unknown, headers: Readonly<Record<string, string>> = {}): RawReply {
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body: text(content) }
}

function gate({ token, isAccepted }: HubRepository, headers: Headers): RawReply | undefined {
  if (token === undefined) return undefined
  const given = headers.get('authorization')
  if (given !== `Bearer ${token}`) return error(401, 'GatedRepo')
  return isAccepted === false ? error(403, 'GatedRepo') : undefined
}

function entryOf(path: string, { content, isLinked, sha256, gitBlobSha1 }: HubFile): object {
  const size = content.length
  const lfs = isLinked ? { lfs: { oid: sha256, size, pointerSize: 134 } } : {}
  return { type: 'file', oid: gitBlobSha1, size, path, ...lfs }
}

function slice(content: Uint8Array, request: Headers, headers: Readonly<Record<string, string>>): RawReply {
  const all = { 'accept-ranges': 'bytes', ...headers }
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.get('range') ?? '') ?? []
  if (first === undefined) return { status: 200, headers: all, body: content }
  const start = Number(first)
  if (start >= content.length) {
    return { status: 416, headers: { 'content-range': `bytes */${content.length}` }, body: none }
  }
  const end = Math.min(last === '' ? content.length : Number(last) + 1, content.length)
  const range = { 'content-range': `bytes ${start}-${end - 1}/${content.length}` }
  return { status: 206, headers: { ...all, ...range }, body: content.subarray(start, end) }
}
