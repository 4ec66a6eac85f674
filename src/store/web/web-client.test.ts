import { afterAll, beforeEach, expect, test } from 'bun:test'
import { type FakeHub, startFakeHub } from '../../testing/fake-hub/fake-hub.ts'
import { certificate, privateKey } from '../../testing/own-certificate.ts'
import { resolveFile } from './resolve-file.ts'
import { WebClient, type WebOptions } from './web-client.ts'

const hub: FakeHub = await startFakeHub()
afterAll(() => hub[Symbol.asyncDispose]())

hub.put('org/repo', 'model.bin', new Uint8Array(1000))
hub.put('org/repo', 'config.json', new TextEncoder().encode('{}'), { isLinked: false })
beforeEach(() => {
  hub.fault = () => undefined
})

const address = (name: string) => new URL(`${hub.origin}/org/repo/resolve/main/${name}`)
const client = (options: Partial<WebOptions> = {}) =>
  new WebClient({ isInsecureAllowed: false, trustedOrigins: [], environment: {}, stallMs: 5_000, ...options })
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
/** Number of the hub's requests that `tokensSeen` has returned before. */
let told = 0
function tokensSeen() {
  const seen = hub.requests.slice(told).map(({ at, headers }) => `${at} ${headers.get('authorization')}`)
  told = hub.requests.length
  return seen
}

test('the token goes to its own origin and not to where that redirects', async () => {
  tokensSeen()
  const credentials = [{ origin: hub.origin, token: 'hf_secret' }]
  await (await client({ credentials }).get(address('model.bin'))).text(10_000)
  expect(tokensSeen()).toEqual(['hub Bearer hf_secret', 'store null'])
})

test('a large file has its sum, its length and an address that holds for a while', async () => {
  const found = await resolveFile(client(), address('model.bin'))
  const { sha256, commit } = {
    ...hub.repositories.get('org/repo'),
    ...hub.repositories.get('org/repo')?.files.get('model.bin'),
  }
  expect(found).toMatchObject({ bytes: 1000, sha256, commit, hasRanges: true, gitBlobSha1: undefined })
  expect(found.address.origin).toBe(hub.storeOrigin)
  expect(found.address.search).toStartWith('?signature=')
})

test('a small file has a git sum and comes from the hub itself', async () => {
  const found = await resolveFile(client(), address('config.json'))
  expect(found).toMatchObject({ bytes: 2, sha256: undefined, gitBlobSha1: expect.stringMatching(/^[0-9a-f]{40}$/) })
  expect(found.address.href).toBe(address('config.json').href)
})

test('a server that refuses HEAD is asked for the first byte', async () => {
  hub.fault = ({ method }) => (method === 'HEAD' ? { kind: 'status', status: 405 } : undefined)
  const plain = new URL(`${hub.storeOrigin}/plain/org/repo/model.bin`)
  expect(await resolveFile(client(), plain)).toMatchObject({ bytes: 1000, hasRanges: true })
})

test('redirects to the hub itself go to its mirror', async () => {
  const from = 'https://hub.example'
  hub.fault = ({ url }) =>
    url.pathname === '/old' ? { kind: 'redirect', location: `${from}/org/repo/resolve/main/config.json` } : undefined
  const answer = await client({ mirror: { from, to: hub.origin } }).get(new URL(`${hub.origin}/old`))
  expect(await answer.text(100)).toBe('{}')
})

test('redirects without end are followed five times', async () => {
  hub.fault = () => ({ kind: 'redirect', location: '/org/repo/again' })
  expect(await failureOf(client().get(address('model.bin')))).toMatchObject({
    message: expect.stringContaining('redirects more than 5 times'),
  })
})

test.each<[number, Record<string, string>, string, string, number | undefined]>([
  [401, { 'x-error-code': 'RepoNotFound' }, 'final', 'is missing, private or gated', undefined],
  [401, {}, 'final', 'is missing, private or gated', undefined],
  [403, { 'x-error-code': 'GatedRepo' }, 'final', "accepted on the hub's site", undefined],
  [404, { 'x-error-code': 'EntryNotFound' }, 'final', 'no such file at this revision', undefined],
  [404, { 'x-error-code': 'RevisionNotFound' }, 'final', 'no such revision', undefined],
  [404, { 'x-error-code': 'constructor' }, 'final', 'check the address', undefined],
  [451, {}, 'final', 'is withheld for legal reasons', undefined],
  [408, {}, 'again', 'did not wait', undefined],
  [429, { 'retry-after': '7' }, 'again', 'too many requests', 7_000],
  [429, { ratelimit: '"api";r=0;t=55' }, 'again', 'too many requests', 55_000],
  [429, { 'retry-after': '99999' }, 'again', 'too many requests', 600_000],
  [503, {}, 'again', 'the server has an error', undefined],
  [418, {}, 'final', 'is refused', undefined],
])('%d with %j is %s: %s', async (status, headers, kind, message, retryAfterMs) => {
  hub.fault = () => ({ kind: 'status', status, headers })
  const error = await failureOf(client().get(address('model.bin')))
  expect(error).toMatchObject({ kind, status, retryAfterMs, message: expect.stringContaining(message) })
})

test('a signature never stands in a message', async () => {
  hub.fault = ({ at }) => (at === 'store' ? { kind: 'status', status: 404 } : undefined)
  const error = await failureOf(client().get(address('model.bin')))
  expect(String(error)).toContain(`${hub.storeOrigin}/blobs/`)
  expect(String(error)).not.toContain('signature')
})

test('a host that cannot be reached is named, with the proxy that was used', async () => {
  const closed = Bun.serve({ port: 0, fetch: () => new Response() })
  await closed.stop(true)
  const error = await failureOf(client().get(new URL(`http://127.0.0.1:${closed.port}/`)))
  expect(error).toMatchObject({ kind: 'again', message: `127.0.0.1:${closed.port} cannot be reached: ECONNREFUSED` })
  const environment = { HTTP_PROXY: 'http://user:word@proxy.example:3128' }
  const proxied = await failureOf(client({ environment }).get(new URL(`http://127.0.0.1:${closed.port}/`)))
  expect(String(proxied)).toContain('through the proxy proxy.example:3128')
  expect(String(proxied)).not.toContain('word')
})

test('an aborted request ends with the reason', async () => {
  hub.fault = () => ({ kind: 'stall', afterBytes: 10 })
  const controller = new AbortController()
  const reading = client()
    .get(new URL(`${hub.storeOrigin}/plain/org/repo/model.bin`), { signal: controller.signal })
    .then((answer) => answer.text(10_000))
  controller.abort(new Error('stopped'))
  expect(await failureOf(reading)).toMatchObject({ message: 'stopped' })
})

test('a certificate of the own network is trusted when it is given, and only then', async () => {
  using server = Bun.serve({ port: 0, tls: { cert: certificate, key: privateKey }, fetch: () => new Response('here') })
  const url = new URL(`https://localhost:${server.port}/`)
  expect(await failureOf(client().get(url))).toMatchObject({
    kind: 'final',
    message: expect.stringContaining('give the certificate of your network with pull-ca'),
  })
  const answer = await client({ ca: certificate }).get(url)
  expect(await answer.text(100)).toBe('here')
})

test('a redirect must name an address', async () => {
  hub.fault = () => ({ kind: 'redirect', location: '' })
  expect(await failureOf(resolveFile(client(), address('model.bin')))).toMatchObject({
    message: expect.stringContaining('redirects to nowhere (302)'),
  })
})

test('a revision that is no commit is not believed', async () => {
  const repository = hub.put('odd/repo', 'a.bin', new Uint8Array(10))
  repository.commit = 'a\tb'
  const found = await resolveFile(client(), new URL(`${hub.origin}/odd/repo/resolve/main/a.bin`))
  expect(found).toMatchObject({ bytes: 10, commit: undefined })
})

test.each(['joe:secret@:::', 'socks5://joe:secret@127.0.0.1:1'])(
  'the proxy %s is an error, without what it says',
  async (proxy) => {
    const wrong = client({ environment: { HTTP_PROXY: proxy } })
    expect(await failureOf(wrong.send(address('model.bin')))).toMatchObject({
      message: 'HTTP_PROXY is no address of a proxy: write http://host:port',
    })
  },
)

test('where an address redirects to is judged by where it was named, by both ways to follow', async () => {
  using server = Bun.serve({
    port: 0,
    tls: { cert: certificate, key: privateKey },
    fetch: () =>
      new Response(null, { status: 302, headers: { location: `${hub.storeOrigin}/plain/org/repo/model.bin` } }),
  })
  const url = new URL(`https://localhost:${server.port}/`)
  const careful = client({ ca: certificate })
  const problem = `is not encrypted, and ${url.host} redirects there`
  expect(String(await failureOf(careful.get(url)))).toContain(problem)
  expect(String(await failureOf(resolveFile(careful, url)))).toContain(problem)
})

test('redirects and texts without an end are given up', async () => {
  hub.fault = ({ url }) => ({ kind: 'redirect', location: `${url.href}x` })
  const before = hub.requests.length
  expect(String(await failureOf(client().get(address('model.bin'))))).toContain('redirects more than 5 times')
  expect(hub.requests).toHaveLength(before + 6)
  hub.fault = () => undefined
  const answer = await client().get(address('model.bin'))
  expect(String(await failureOf(answer.text(999)))).toContain('has more than 999 bytes')
})
