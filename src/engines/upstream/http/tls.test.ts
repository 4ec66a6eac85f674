import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expiredCertificate, expiredKey } from '../../../testing/expired-certificate.ts'
import { certificate, privateKey } from '../../../testing/own-certificate.ts'
import { outcomeOf, postTo, upstreamKey } from '../../../testing/upstream/event-outcome.ts'
import { startRawServer } from '../../../testing/upstream/raw-server.ts'
import { postForEvents } from './post-for-events.ts'
import { defaultLimits } from './request.ts'

const requests: string[] = []
const serve = (cert: string, key: string) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { cert, key },
    fetch: (request) => {
      requests.push(request.headers.get('authorization') ?? '')
      return new Response('data: a\n\n', { headers: { 'content-type': 'text/event-stream' } })
    },
  })
const own = serve(certificate, privateKey)
const expired = serve(expiredCertificate, expiredKey)
const folder = mkdtempSync(join(tmpdir(), 'inferd-tls-'))
afterAll(async () => {
  await Promise.all([own.stop(true), expired.stop(true)])
  rmSync(folder, { recursive: true })
})

/** Returns the outcomes of requests made in a separate process with these environment variables. */
async function outcomesIn(environment: Record<string, string>, urls: readonly string[]): Promise<string[]> {
  const helper = join(import.meta.dir, '../../../testing/upstream/event-outcome.ts')
  const script = `
    const { outcomeOf, postTo } = await import(${JSON.stringify(helper)})
    for (const url of ${JSON.stringify(urls)}) {
      const { events, failure } = await outcomeOf(postTo(url))
      console.log(failure === undefined ? events.join() : failure.kind + ': ' + failure.message)
    }
    process.exit(0)`
  const child = Bun.spawn([process.execPath, '-e', script], {
    env: { ...process.env, ...environment },
    stderr: 'inherit',
  })
  return (await new Response(child.stdout).text()).trim().split('\n')
}

const authorities = join(folder, 'authorities.pem')
writeFileSync(authorities, `${certificate}\n${expiredCertificate}\n`)

test.each([['NODE_EXTRA_CA_CERTS'], ['SSL_CERT_FILE']])(
  'certificates of %s are trusted, for their names and their time',
  async (variable) => {
    const environment = { NODE_EXTRA_CA_CERTS: '', SSL_CERT_FILE: '', [variable]: authorities }
    const [good, wrongName, late] = await outcomesIn(environment, [
      `https://localhost:${own.port}/`,
      `https://127.0.0.1:${own.port}/`,
      `https://localhost:${expired.port}/`,
    ])
    expect(good).toBe('a')
    expect(wrongName).toStartWith("tls: the server's certificate is refused: it is made for another name")
    expect(late).toStartWith("tls: the server's certificate is refused: it has expired")
  },
)

test('a certificate that nobody trusted has signed is refused, whatever the environment says, and the key is not sent', async () => {
  requests.length = 0
  const url = `https://localhost:${own.port}/`
  const [insecure] = await outcomesIn({ NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_EXTRA_CA_CERTS: '' }, [url])
  const { failure } = await outcomeOf(postTo(url))
  expect(failure?.kind).toBe('tls')
  expect(failure?.message).toContain('it is signed by itself (DEPTH_ZERO_SELF_SIGNED_CERT); add')
  expect(insecure).toBe(`tls: ${failure?.message}`)
  expect(requests).toEqual([])
})

test('a server that does not speak TLS', async () => {
  const data = (socket: Bun.Socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
  using server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data } })
  const { failure } = await outcomeOf(postTo(`https://localhost:${server.port}/`))
  expect(failure?.kind).toBe('tls')
})

test('a server that does not answer the greeting is given up in the time of a connection', async () => {
  await using server = await startRawServer(() => undefined)
  const secure = server.url.replace('http:', 'https:')
  const { failure } = await outcomeOf(postTo(secure, { connectMs: 100 }))
  expect(failure).toMatchObject({
    kind: 'connect',
    message: 'the server cannot be reached within 0.1 seconds, or does not speak TLS: is its address one of http?',
  })
  const controller = new AbortController()
  const posted = postTo(secure, {}, controller.signal)
  controller.abort(new Error('gone'))
  await expect(posted).rejects.toThrow('gone')
})

test('nothing listens, or nobody knows the name', async () => {
  const server = await startRawServer(() => undefined)
  await server[Symbol.asyncDispose]()
  const refused = await outcomeOf(postTo(server.url))
  expect(refused.failure).toMatchObject({ kind: 'connect', status: undefined, detail: '' })
  expect(refused.failure?.message).toContain('nothing listens at its address (ECONNREFUSED)')
  const unknown = await outcomeOf(postTo('http://nobody.invalid/'))
  expect(unknown.failure?.kind).toBe('connect')
})

test('proxies of the environment are not asked', async () => {
  await using proxy = await startRawServer((to) => to.end('HTTP/1.1 502 No\r\n\r\n'))
  await using server = await startRawServer((to) => to.head().end('data: a\n\n'))
  const { origin } = new URL(proxy.url)
  const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'HTTPS_PROXY']
  const environment = Object.fromEntries(names.map((name) => [name, origin]))
  expect(await outcomesIn({ ...environment, NO_PROXY: '', NODE_USE_ENV_PROXY: '1' }, [server.url])).toEqual(['a'])
  expect(proxy.connections).toBe(0)
})

test('a key that no header can hold is not told', async () => {
  const { signal } = new AbortController()
  const key = `${upstreamKey}\r\nx-evil: 1`
  const posted = postForEvents({ url: 'http://127.0.0.1:1/', key, signal, limits: defaultLimits })
  const failure: unknown = await posted.catch((error: unknown) => error)
  expect(failure).toMatchObject({ kind: 'connect', detail: '', cause: undefined })
  expect(String(failure)).not.toContain(upstreamKey)
})
