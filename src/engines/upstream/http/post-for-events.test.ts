import { expect, test } from 'bun:test'
import { type AddressInfo, createServer } from 'node:net'
import { outcomeOf, postTo, upstreamKey } from '../../../testing/upstream/event-outcome.ts'
import { type RawExchange, startRawServer } from '../../../testing/upstream/raw-server.ts'
import { postForEvents } from './post-for-events.ts'
import { defaultLimits } from './request.ts'

test('the request says what it should, and the key', async () => {
  let request = ''
  await using server = await startRawServer((exchange) => {
    request = exchange.request
    exchange.end(
      'HTTP/1.1 200 OK\r\nx-request-id: abc\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\n\r\ndata: a\n\n',
    )
  })
  const answer = await postTo(server.url)
  expect(await outcomeOf(Promise.resolve(answer))).toEqual({ events: ['a'], failure: undefined })
  expect(answer.headers.get('x-request-id')).toBe('abc')
  const [head = '', body] = request.split('\r\n\r\n')
  expect(head.split('\r\n')[0]).toBe('POST /v1/chat/completions HTTP/1.1')
  for (const line of [
    `authorization: Bearer ${upstreamKey}`,
    'accept-encoding: identity',
    'accept: text/event-stream',
    'content-type: application/json',
    'content-length: 15',
  ]) {
    expect(head.toLowerCase().split('\r\n')).toContain(line.toLowerCase())
  }
  expect(body).toBe('{"stream":true}')
})

test.each([['with a length'], ['in chunks']])(
  'of an answer %s that is cut at any byte all events that were whole come, then the failure',
  async (framing) => {
    const events = ['{"a":"é"}', '{"b":2}', '[DONE]']
    const frames = events.map((data) => `data: ${data}\n\n`)
    const isChunked = framing === 'in chunks'
    const chunkOf = (frame: string) => `${Buffer.byteLength(frame).toString(16)}\r\n${frame}\r\n`
    const bytes = Buffer.from(isChunked ? `${frames.map(chunkOf).join('')}0\r\n\r\n` : frames.join(''))
    const header = isChunked ? 'transfer-encoding: chunked\r\n' : `content-length: ${bytes.length}\r\n`
    let cut = 0
    await using server = await startRawServer((to) => to.head(header).end(bytes.subarray(0, cut)))
    for (; cut < bytes.length; cut++) {
      const whole = bytes.subarray(0, cut).toString().split('\n\n').length - 1
      const { events: came, failure } = await outcomeOf(postTo(server.url))
      expect(came).toEqual(events.slice(0, whole))
      expect(failure?.kind).toBe('cut')
    }
    expect(await outcomeOf(postTo(server.url))).toEqual({ events, failure: undefined })
  },
)

test('a slow reader gets all that came before the connection was lost', async () => {
  await using server = await startRawServer((exchange) => {
    exchange.head('transfer-encoding: chunked\r\n')
    for (let index = 0; index < 100; index++) exchange.chunk(`data: ${index}\n\n`)
    exchange.end()
  })
  const exchange = server.next()
  const { events } = await postTo(server.url)
  const first = await events.next()
  await (await exchange).closed
  const rest: string[] = []
  const read = async () => {
    for await (const arrived of events) rest.push(...arrived)
  }
  await expect(read()).rejects.toMatchObject({ kind: 'cut' })
  expect([...(first.value ?? []), ...rest]).toHaveLength(100)
})

test('connections are kept, and one that the server closed meanwhile is no failure', async () => {
  await using server = await startRawServer((exchange) => {
    exchange.head('content-length: 9\r\n')
    exchange.say('data: a\n\n')
    // The server closes the connection without notice, as in a restart.
    if (server.connections === 2) exchange.socket.once('data', () => exchange.socket.destroy())
  })
  for (let index = 0; index < 10; index++) {
    expect(await outcomeOf(postTo(server.url))).toEqual({ events: ['a'], failure: undefined })
  }
  expect(server.connections).toBeLessThan(4)
})

test('the time for a connection is not the time for an answer, on a new connection and on a kept one', async () => {
  await using server = await startRawServer((to) => {
    setTimeout(() => to.head('content-length: 9\r\n').say('data: a\n\n'), 1_500)
  })
  for (let index = 0; index < 2; index++) {
    expect(await outcomeOf(postTo(server.url, { connectMs: 1_000 }))).toEqual({ events: ['a'], failure: undefined })
  }
  expect(server.connections).toBe(1)
})

test('600 streams run side by side', async () => {
  const running = Promise.withResolvers<void>()
  const held: RawExchange[] = []
  await using server = await startRawServer((exchange) => {
    exchange.head()
    if (held.push(exchange) === 600) running.resolve()
  })
  const outcomes = Array.from({ length: 600 }, () => outcomeOf(postTo(server.url)))
  await running.promise
  for (const { socket } of held) socket.end('data: a\n\n')
  for (const outcome of await Promise.all(outcomes)) expect(outcome).toEqual({ events: ['a'], failure: undefined })
})

test('what is no HTTP on a kept connection is a failure, and is not asked for again', async () => {
  let requests = 0
  await using server = await startRawServer((exchange) => {
    if (++requests === 1) exchange.head('content-length: 9\r\n').say('data: a\n\n')
    else exchange.end('no HTTP at all\r\n\r\n')
  })
  expect(await outcomeOf(postTo(server.url))).toEqual({ events: ['a'], failure: undefined })
  expect((await outcomeOf(postTo(server.url))).failure?.kind).toBe('malformed')
  expect([requests, server.connections]).toEqual([2, 1])
})

test('a connection is closed whose server answered before it had read the request', async () => {
  const body = { text: 'x'.repeat(50_000_000) }
  const received = Promise.withResolvers<number>()
  const goOn = Promise.withResolvers<void>()
  await using server = createServer((socket) => {
    let bytes = 0
    socket.on('error', () => undefined)
    socket.on('close', () => received.resolve(bytes))
    socket.on('data', (piece) => {
      if (bytes === 0) {
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9\r\n\r\ndata: a\n\n')
        socket.pause()
        goOn.promise.then(() => socket.resume())
      }
      bytes += piece.length
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const request = { url: `http://127.0.0.1:${port}/v1`, body, signal: new AbortController().signal }
  const outcome = await outcomeOf(postForEvents({ ...request, limits: defaultLimits }))
  expect(outcome).toEqual({ events: ['a'], failure: undefined })
  goOn.resolve()
  expect(await received.promise).toBeLessThan(body.text.length)
})

test('a flood of events leaves room for others', async () => {
  const count = 50_000
  const body = 'data: {}\n\n'.repeat(count)
  await using server = await startRawServer((exchange) => exchange.head(`content-length: ${body.length}\r\n`).say(body))
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  let events = 0
  for await (const arrived of (await postTo(server.url)).events) {
    events += arrived.length
    expect(arrived.length).toBeLessThanOrEqual(1_000)
    // Simulates the time to process the events.
    for (const endMs = performance.now() + 2; performance.now() < endMs; );
  }
  clearInterval(timer)
  expect(events).toBe(count)
  expect(turns).toBeGreaterThan(25)
})
