import { expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { connect as connectTcp } from 'node:net'
import { networkInterfaces } from 'node:os'
import { connect } from 'node:tls'
import { expiredCertificate, expiredKey } from '../testing/expired-certificate.ts'
import { certificate, privateKey } from '../testing/own-certificate.ts'
import { until } from '../testing/until.ts'
import { type CertificatePair, factsOf } from '../tls/certificate-pair.ts'
import { clientAddressReader } from './client-address.ts'
import { type EncryptedListener, type Listener, listenEncrypted } from './listener.ts'

const pairOf = (pem: string, key: string): CertificatePair => ({
  ...{ certificate: pem, key },
  facts: factsOf(new X509Certificate(pem)),
})
const pairs = [pairOf(certificate, privateKey), pairOf(expiredCertificate, expiredKey)] as const
const untrusting = { tls: { rejectUnauthorized: false } }

type Handle = (request: Request, listener: Listener) => Promise<Response>

function listen(handle: Handle, servesLocalPlainly = true, hostname = '127.0.0.1') {
  const listener = listenEncrypted({
    ...{ hostname, port: 0, idleTimeoutSeconds: 60, folders: new Set<string>(), servesLocalPlainly },
    ...{ handle, pair: pairs[0], portOfProtocol: () => undefined },
    handleInClear: async () => new Response('in clear'),
    error: () => new Response(null, { status: 500 }),
  })
  return { listener, url: listener.origin, [Symbol.asyncDispose]: () => listener.stop(true) }
}

/** Returns the fingerprint of the certificate that new connections see. */
async function servedFingerprint({ port }: EncryptedListener): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  socket.once('error', reject)
  socket.once('secureConnect', () => resolve(socket.getPeerCertificate().fingerprint256))
  return promise.finally(() => socket.destroy())
}

test('certificates change under load without a failed request, and a running answer goes on', async () => {
  const release = Promise.withResolvers<void>()
  await using server = listen(async (request) => {
    if (new URL(request.url).pathname !== '/long') return new Response('short')
    async function* pieces() {
      yield new TextEncoder().encode('begun ')
      await release.promise
      yield new TextEncoder().encode('ended')
    }
    return new Response(pieces() as unknown as ReadableStream)
  })
  const long = await fetch(`${server.url}/long`, untrusting)
  let isOver = false
  let answered = 0
  const client = async () => {
    while (!isOver) {
      expect(await (await fetch(server.url, untrusting)).text()).toBe('short')
      answered++
    }
  }
  const clients = [client(), client(), client(), client()]
  for (let change = 1; change <= 10; change++) {
    const { [change % 2]: pair = pairs[0] } = pairs
    const before = answered
    server.listener.useCertificate(pair)
    expect(await servedFingerprint(server.listener)).toBe(pair.facts.fingerprint)
    await until(
      'answers after the change',
      () => answered,
      (count) => count >= before + 8,
    )
  }
  isOver = true
  await Promise.all(clients)
  release.resolve()
  expect(await long.text()).toBe('begun ended')
})

test('the address of a client is known with and without TLS', async () => {
  const peers: (string | undefined)[] = []
  await using server = listen(async (request, listener) => {
    peers.push(listener.peerOf(request))
    return new Response(request.url)
  })
  expect(await (await fetch(server.url, untrusting)).text()).toBe(`${server.url}/`)
  const plain = server.url.replace('https', 'http')
  expect(await (await fetch(plain)).text()).toBe(`${plain}/`)
  expect(peers).toEqual(['127.0.0.1', '127.0.0.1'])
})

test('without TLS, programs of this machine get only a hint if local-http is off', async () => {
  await using server = listen(async () => new Response('whole'), false)
  expect(await (await fetch(server.url.replace('https', 'http'))).text()).toBe('in clear')
})

test('pipelined requests are answered in their order, and half-closed connections to their end', async () => {
  await using server = listen(async (request) => new Response(new URL(request.url).pathname))
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connectTcp(server.listener.port, '127.0.0.1')
  let received = ''
  socket.on('error', reject)
  socket.on('data', (bytes) => {
    received += bytes.toString()
    if (received.includes('/3')) resolve(received)
  })
  socket.write(['/1', '/2', '/3'].map((path) => `GET ${path} HTTP/1.1\r\nHost: box\r\n\r\n`).join(''))
  expect((await promise).match(/\/\d/g)?.filter((path) => path !== '/1.1')).toContain('/3')
  socket.destroy()
})

test('the request of a client that leaves is aborted', async () => {
  const [arrived, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await using server = listen(async (request) => {
    arrived.resolve()
    request.signal.addEventListener('abort', () => aborted.resolve())
    await aborted.promise
    return new Response()
  })
  const leaving = new AbortController()
  const asked = fetch(server.url, { ...untrusting, signal: leaving.signal }).catch(() => undefined)
  await arrived.promise
  leaving.abort()
  await aborted.promise
  await asked
})

test('broken handshakes are closed and harm no other client', async () => {
  await using server = listen(async () => new Response('fine'))
  const beginnings = [
    [0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5],
    [0x16, 0xff, 0xff, 0xff, 0xff],
    [0x80, 1],
    [0, 0, 0, 0],
  ]
  const closed = Array.from({ length: 200 }, async (_, index) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const socket = connectTcp(server.listener.port, '127.0.0.1', () => {
      const { [index % beginnings.length]: bytes = [] } = beginnings
      socket.end(new Uint8Array(bytes))
    })
    socket.resume()
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
    return promise
  })
  await Promise.all(closed)
  expect(await (await fetch(server.url, untrusting)).text()).toBe('fine')
})

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
)

test.skipIf(!hasIpv6)('the address :: serves IPv6 and IPv4, each client by its own address', async () => {
  const addressOf = clientAddressReader([])
  await using server = listen(
    async (request, listener) => new Response(addressOf(listener.peerOf(request), null)),
    true,
    '::',
  )
  const { port } = server.listener
  expect(server.url).toBe(`https://[::]:${port}`)
  expect(await (await fetch(`https://[::1]:${port}`, untrusting)).text()).toBe('::1')
  expect(await (await fetch(`https://127.0.0.1:${port}`, untrusting)).text()).toBe('127.0.0.1')
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('127.0.0.1')
  await using bracketed = listen(async () => new Response('fine'), true, '[::1]')
  expect(await (await fetch(bracketed.url, untrusting)).text()).toBe('fine')
})
