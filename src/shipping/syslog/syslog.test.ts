import { afterEach, expect, test } from 'bun:test'
import { createSocket } from 'node:dgram'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { certificate, privateKey } from '../../testing/own-certificate.ts'
import type { ShippedRecord } from '../shipped-record.ts'
import { syslogMessage } from './syslog-message.ts'
import { readSyslogAddress, SyslogSink } from './syslog-sink.ts'

const origin = { hostName: 'böx 1', processId: 7 }
const { signal } = new AbortController()
const audit: ShippedRecord = {
  kind: 'audit',
  row: {
    id: 3,
    createdMs: 0,
    actor: 'cli:root',
    action: 'credit',
    accountId: 'acc_1',
    details: { memo: 'a "b" ] \\ c' },
  },
}
const request: ShippedRecord = {
  kind: 'request',
  record: {
    ...{ requestId: 'req_1', state: 'ended', arrivedAtMs: 1_500, durationMs: 12.4, endpoint: 'messages', status: 503 },
    ...{ model: 'a/b', cause: new Error('hidden prompt'), path: '/v1/messages' },
  },
}

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

function sinkTo(address: string, ca?: string) {
  const sink = new SyslogSink({ address: readSyslogAddress(address), origin, ca })
  closing.push(() => sink.close())
  return sink
}

/** Starts a server that keeps what it reads. */
async function receiver(server: Server) {
  let text = ''
  const sockets: Socket[] = []
  const waiters: (() => void)[] = []
  const take = (socket: Socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      text += data.toString()
      for (const wake of waiters.splice(0)) wake()
    })
  }
  server.on('connection', take).on('secureConnection', take)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    sockets,
    until: async (isEnough: (text: string) => boolean) => {
      while (!isEnough(text)) await new Promise<void>((resolve) => waiters.push(resolve))
      return text
    },
  }
}

test('a change is a notice of the audit facility, with its fields as escaped structured data', () => {
  expect(syslogMessage(audit, origin)).toBe(
    '<109>1 1970-01-01T00:00:00.000Z bx1 inferd 7 audit [inferd@32473 id="3" actor="cli:root" action="credit" account="acc_1" ' +
      'details="{\\"memo\\":\\"a \\\\\\"b\\\\\\" \\] \\\\\\\\ c\\"}"] credit by cli:root',
  )
})

test('a request that failed is an error, without the text of its cause', () => {
  expect(syslogMessage(request, origin)).toBe(
    '<27>1 1970-01-01T00:00:01.500Z bx1 inferd 7 request [inferd@32473 request_id="req_1" model="a/b" endpoint="messages" ' +
      'status="503" duration_ms="12"] messages 503 a/b',
  )
})

test('a long value is cut and a line break is none, so that a record stays one message', () => {
  const long: ShippedRecord = {
    kind: 'audit',
    row: { id: 1, createdMs: 0, actor: 'cli:\n<0>1 forged', action: 'x', details: { text: 'y'.repeat(100_000) } },
  }
  const message = syslogMessage(long, { hostName: '', processId: 1 })
  expect(message).not.toMatch(/\n/)
  expect(message).toStartWith('<109>1 1970-01-01T00:00:00.000Z - inferd 1 audit [')
  expect(message.length).toBeLessThan(2_000)
})

test('no text of a request breaks its message', () => {
  const forged = syslogMessage({ ...request, record: { ...request.record, model: 'a\r\n<0>1 forged\0\ud800' } }, origin)
  expect(forged).not.toMatch(/\p{Cc}/u)
  expect(forged.isWellFormed()).toBe(true)
})

test.each([
  ['udp://10.0.0.7', { transport: 'udp', host: '10.0.0.7', port: 514 }],
  ['tcp://log.example', { transport: 'tcp', host: 'log.example', port: 601 }],
  ['tls://[::1]:7000', { transport: 'tls', host: '::1', port: 7000 }],
] as const)('%s is read', (text, address) => {
  expect(readSyslogAddress(text)).toEqual(address)
})

test('records arrive as one datagram each', async () => {
  const socket = createSocket('udp4')
  const { promise, resolve } = Promise.withResolvers<string[]>()
  const received: string[] = []
  socket.on('message', (message) => received.push(message.toString()) === 2 && resolve(received))
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound))
  closing.push(() => socket.close())
  expect(await sinkTo(`udp://127.0.0.1:${socket.address().port}`).send([audit, request], signal)).toBe(0)
  expect(await promise).toEqual([audit, request].map((record) => syslogMessage(record, origin)))
})

test('over TCP each message has its length in bytes before it, and batches share a connection', async () => {
  const { port, sockets, until } = await receiver(createServer())
  const sink = sinkTo(`tcp://127.0.0.1:${port}`)
  const named: ShippedRecord = {
    kind: 'audit',
    row: { id: 1, createdMs: 0, actor: 'cli:jürgen', action: 'x', details: {} },
  }
  await sink.send([named], signal)
  await sink.send([request], signal)
  const messages = [named, request].map((record) => syslogMessage(record, origin))
  const expected = messages.map((message) => `${Buffer.byteLength(message)} ${message}`).join('')
  expect(await until((text) => Buffer.byteLength(text) >= Buffer.byteLength(expected))).toBe(expected)
  expect(sockets).toHaveLength(1)
})

test('after a cut connection records go over a new one', async () => {
  const { port, sockets, until } = await receiver(createServer())
  const sink = sinkTo(`tcp://127.0.0.1:${port}`)
  await sink.send([audit], signal)
  await until((text) => text.includes('audit'))
  sockets[0]?.destroy()
  // What is written before the cut is noticed is lost.
  while (sockets.length < 2) await sink.send([request], signal).catch(() => undefined)
  await until((text) => text.includes('req_1'))
})

test('over TLS the certificate must be one of the named authority', async () => {
  const server = createTlsServer({ cert: certificate, key: privateKey })
  const { port, until } = await receiver(server)
  const refused = sinkTo(`tls://localhost:${port}`)
  const reason = await refused.send([audit], signal).catch(String)
  expect(String(reason)).toMatch(/certificate|self.signed/i)
  await sinkTo(`tls://localhost:${port}`, certificate).send([audit], signal)
  expect(await until((text) => text.length > 10)).toContain('inferd 7 audit')
})

test('a server that is not there is told', async () => {
  const { port } = await receiver(createServer())
  await closing.shift()?.()
  const sink = sinkTo(`tcp://127.0.0.1:${port}`)
  expect(String(await sink.check(signal).catch(String))).toMatch(/refused|closed/i)
  expect(String(await sink.send([audit], signal).catch(String))).toMatch(/refused|closed/i)
})
