import { afterAll, expect, test } from 'bun:test'
import { redirectProblem } from './addresses.ts'
import { ask, type Network, NetworkError, redirectTarget } from './network.ts'
import { proxyFor } from './proxy.ts'

const seen: Record<string, string>[] = []
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    seen.push(request.headers.toJSON())
    const to = new URL(request.url).searchParams.get('to')
    return to === null ? new Response('here') : new Response('', { status: 302, headers: { location: to } })
  },
})
afterAll(() => server.stop(true))

const network: Network = {
  hub: server.url.origin,
  hubToken: 'hf_secret',
  certificates: undefined,
  proxyFor: () => undefined,
  allowsPlainHttp: false,
}
const signal = AbortSignal.timeout(10_000)

test('the token goes to the hub alone', async () => {
  await ask(network, server.url, { signal })
  await ask({ ...network, hub: 'https://hub.example' }, server.url, { signal })
  expect(seen.splice(0).map(({ authorization }) => authorization)).toEqual(['Bearer hf_secret', undefined])
})

test('a redirect is an answer, and the content is asked for as it is', async () => {
  const address = new URL('/?to=/elsewhere?signature=1', server.url)
  const answer = await ask(network, address, { signal })
  expect((await redirectTarget(network, address, answer))?.href).toBe(`${server.url.href}elsewhere?signature=1`)
  expect(seen.splice(0).map((headers) => headers['accept-encoding'])).toEqual(['identity'])
})

test.each(['file:///etc/passwd', 'ftp://h/x', 'http://[', 'http://93.184.216.34/x', 'https://name:word@host/x'])(
  'a redirect to %s is refused',
  async (to) => {
    const address = new URL(`/?to=${encodeURIComponent(to)}`, server.url)
    const answer = await ask(network, address, { signal })
    const failure = await redirectTarget(network, address, answer).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(NetworkError)
    expect(String(failure)).not.toContain('word@')
    seen.splice(0)
  },
)

test.each([
  ['https://hub.example/x', 'https://10.0.0.1/x', 'is in a private network'],
  ['https://hub.example/x', 'https://[::1]/x', 'is in a private network'],
  ['https://hub.example/x', 'https://[::ffff:192.168.1.1]/x', 'is in a private network'],
  ['https://hub.example/x', 'https://localhost/x', 'is in a private network'],
  ['https://hub.example/x', 'https://nas.local/x', 'is in a private network'],
  ['https://hub.example/x', 'http://127.0.0.1/x', 'is plain http, and the address that leads there is not'],
  ['http://127.0.0.1/x', 'http://localhost:1/x', undefined],
  ['https://hub.example/x', 'https://hub.example/y', undefined],
])('whether %s may lead to %s', async (from, to, problem) => {
  expect(await redirectProblem(new URL(from), new URL(to), false)).toBe(problem)
})

test('plain http is for private addresses, unless the operator accepts more', async () => {
  const address = new URL('http://93.184.216.34:1/x?signature=1')
  const failure = ask(network, address, { signal }).catch((error: unknown) => String(error))
  expect(await failure).toContain('http://93.184.216.34:1/x is plain http')
})

test('a host that does not answer is named, with the cause and the proxy', async () => {
  const port = Bun.serve({ port: 0, fetch: () => new Response() })
  const closed = new URL(`http://127.0.0.1:${port.port}/x`)
  await port.stop(true)
  const failure = await ask(network, closed, { signal }).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    isTemporary: true,
    message: expect.stringMatching(/^127.0.0.1:\d+ cannot be reached: ECONNREFUSED/),
  })
  const proxied = { ...network, proxyFor: () => `http://${closed.host}` }
  const throughProxy = await ask(proxied, new URL('https://hub.example/x'), { signal }).catch((error: unknown) => error)
  expect(throughProxy).toMatchObject({ message: expect.stringContaining(`through the proxy ${closed.host}`) })
})

test('the signal ends a question with its reason', async () => {
  const failure = ask(network, server.url, { signal: AbortSignal.abort(new Error('stopped')) })
  expect(failure).rejects.toThrow('stopped')
})

test.each([
  ['https://hub.example/x', { HTTPS_PROXY: 'http://proxy:1' }, 'http://proxy:1'],
  ['http://hub.example/x', { HTTPS_PROXY: 'http://proxy:1' }, undefined],
  ['http://hub.example/x', { http_proxy: 'http://proxy:1', NO_PROXY: 'other.example' }, 'http://proxy:1'],
  ['https://hub.example/x', { HTTPS_PROXY: 'http://proxy:1', NO_PROXY: 'localhost, .example' }, undefined],
  ['https://badexample/x', { HTTPS_PROXY: 'http://proxy:1', NO_PROXY: 'example' }, 'http://proxy:1'],
  ['https://hub.example:8443/x', { HTTPS_PROXY: 'http://proxy:1', NO_PROXY: 'hub.example:8443' }, undefined],
  ['https://hub.example/x', { HTTPS_PROXY: 'http://proxy:1', no_proxy: '*' }, undefined],
  ['https://hub.example/x', { HTTPS_PROXY: '' }, undefined],
])('%s is reached with %j through %p', (address, environment, proxy) => {
  expect(proxyFor(new URL(address), environment)).toBe(proxy)
})
