import { expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { connect } from 'node:tls'
import { readOpening } from './client-hello.ts'

/** Returns the first bytes that a TLS client sends. */
async function clientHello(protocols: string[]): Promise<Uint8Array> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>()
  const server = createServer((socket) => socket.once('data', (bytes) => resolve(Buffer.from(bytes))))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const client = connect({ host: '127.0.0.1', port, ALPNProtocols: protocols })
  client.on('error', () => undefined)
  const bytes = await promise
  client.destroy()
  server.close()
  return bytes
}

test('the protocols that a client offers are read once its first message is whole', async () => {
  const bytes = await clientHello(['acme-tls/1', 'http/1.1'])
  expect(readOpening(bytes)).toEqual({ kind: 'tls', protocols: ['acme-tls/1', 'http/1.1'] })
  for (let length = 0; length < bytes.length; length += 7)
    expect(readOpening(bytes.subarray(0, length))).toEqual({ kind: 'incomplete' })
})

test('HTTP in clear is told at its first byte', () => {
  expect(readOpening(new TextEncoder().encode('G'))).toEqual({ kind: 'plain' })
})

test('damaged messages are left to the TLS server', async () => {
  const bytes = await clientHello(['acme-tls/1'])
  for (let at = 5; at < bytes.length; at++) {
    for (const value of [0, 0x7f, 0xff]) {
      const damaged = Uint8Array.from(bytes)
      damaged[at] = value
      expect(readOpening(damaged).kind).toBe('tls')
    }
  }
  expect(readOpening(Uint8Array.from([0x16, 3, 1, 0xff, 0xff]))).toEqual({ kind: 'tls', protocols: [] })
})
