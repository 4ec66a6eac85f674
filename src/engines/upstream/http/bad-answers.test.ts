import { expect, test } from 'bun:test'
import { outcomeOf, postTo } from '../../../testing/upstream/event-outcome.ts'
import { type RawExchange, startRawServer } from '../../../testing/upstream/raw-server.ts'

const growthLimitBytes = 150 * 1024 * 1024
/** Returns the resident memory after a garbage collection. It includes the test's own server. */
function memory(): number {
  Bun.gc(true)
  return process.memoryUsage.rss()
}

const shortLimits = { firstByteMs: 300, idleMs: 300 }
const chunked = 'transfer-encoding: chunked\r\n'
const endless = 'a'.repeat(64 * 1024)
const manyHeaders = `x-a: ${'b'.repeat(999)}\r\n`
const switching = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'

const event = 'data: a\n\n'
test.each<[name: string, answer: (exchange: RawExchange) => void, kinds: string, events: number]>([
  ['headers without end', (to) => to.say('HTTP/1.1 200 OK\r\n').pour(manyHeaders), 'too-large', 0],
  ['a header without end', (to) => to.say('HTTP/1.1 200 OK\r\nx-a: ').pour(endless), 'too-large', 0],
  ['heads before heads without end', (to) => to.pour('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(999)), 'malformed', 0],
  ['an extension of a chunk without end', (to) => to.head(chunked).say('5;').pour(endless), 'too-large', 0],
  ['trailers without end', (to) => to.head(chunked).say('0\r\n').pour(manyHeaders), 'too-large', 0],
  ['a size of a chunk without end', (to) => to.head(chunked).pour('0'.repeat(9999)), 'cut no-answer', 0],
  ['a line without end', (to) => to.head().pour(endless), 'too-large', 0],
  ['an event without end', (to) => to.head().pour(`data: ${'b'.repeat(9999)}\n`), 'too-large', 0],
  ['comments without end', (to) => to.head().pour(': ping\n\n'.repeat(9999)), 'too-large', 0],
  ['blank lines before the head', (to) => to.pour('\r\n'.repeat(9999)), 'no-answer', 0],
  ['nothing', () => undefined, 'no-answer', 0],
  ['a head and nothing else', (to) => to.head(), 'no-answer', 0],
  ['a byte at a time', (to) => to.head().drip('x'), 'no-answer', 0],
  ['an event, then a byte at a time', (to) => to.head().say(event).drip('x'), 'idle', 1],
  ['an event, then comments', (to) => to.head().say(event).drip(': ping\n\n'), 'idle', 1],
  ['a compressed body', (to) => to.head('content-encoding: gzip\r\n').end(Bun.gzipSync(event)), 'malformed', 0],
  ['half of a chunk', (to) => to.head(chunked).chunk(event).end(`20\r\n${event}`), 'cut', 2],
  ['chunks without an end', (to) => to.head(chunked).chunk(event).end(), 'cut', 1],
  ['less than its length', (to) => to.head('content-length: 99\r\n').end(event), 'cut', 1],
  ['a size of a chunk that is no number', (to) => to.head(chunked).end(`zz\r\n${event}\r\n`), 'malformed', 0],
  ['a negative size of a chunk', (to) => to.head(chunked).end(`-9\r\n${event}\r\n`), 'malformed', 0],
  ['a huge size of a chunk', (to) => to.head(chunked).end(`${'f'.repeat(20)}\r\n${event}\r\n`), 'malformed', 0],
  ['two lengths', (to) => to.head(`content-length: 9\r\n${chunked}`).chunk(event).end(), 'malformed', 0],
  ['another protocol', (to) => to.end('SSH-2.0-OpenSSH_9.9\r\n'), 'malformed', 0],
  ['a change of the protocol', (to) => to.say(switching), 'cut status', 0],
  ['a page', (to) => to.end('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<h1>Welcome'), 'not-events', 0],
  ['no type', (to) => to.end(`HTTP/1.1 200 OK\r\n\r\n${event}`), 'not-events', 0],
  ['the end at once', (to) => to.end(), 'cut', 0],
  ['HTTP/1.0', (to) => to.end(`HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n${event}`), 'none', 1],
  ['a head before the head', (to) => to.say('HTTP/1.1 100 Continue\r\n\r\n').head().end(event), 'none', 1],
])('%s', async (_name, answer, kinds, count) => {
  await using server = await startRawServer(answer)
  const exchange = server.next()
  const before = memory()
  // Short limits only where a limit must end the request: on a busy machine they would end others too.
  const limits = /no-answer|idle/.test(kinds) ? shortLimits : {}
  const startMs = performance.now()
  const { events, failure } = await outcomeOf(postTo(server.url, limits))
  expect(performance.now() - startMs).toBeLessThan(5_000)
  expect(memory() - before).toBeLessThan(growthLimitBytes)
  expect(events).toHaveLength(count)
  expect(kinds.split(' ')).toContain(failure?.kind ?? 'none')
  // No failure leaves the connection open.
  await (await exchange).closed
})

test('an event, then a reset', async () => {
  await using server = await startRawServer((to) => to.head().say(event))
  const exchange = server.next()
  const { events } = await postTo(server.url)
  expect((await events.next()).value).toEqual(['a'])
  const { socket, closed } = await exchange
  socket.resetAndDestroy()
  await expect(events.next()).rejects.toMatchObject({ kind: 'cut' })
  await closed
})

test('the whole takes no longer than it may', async () => {
  await using server = await startRawServer((to) => to.head().drip('data: a\n\n'))
  const { events, failure } = await outcomeOf(postTo(server.url, { totalMs: 2_000 }))
  expect(failure?.kind).toBe('too-long')
  expect(events.length).toBeGreaterThan(1)
})

test('many of them leave no memory behind', async () => {
  const bad = [
    (to: RawExchange) => to.say('HTTP/1.1 200 OK\r\n').pour(manyHeaders),
    (to: RawExchange) => to.head().pour(endless),
    (to: RawExchange) => to.head().pour(`data: ${'b'.repeat(99_999)}\n`),
  ]
  let index = 0
  await using server = await startRawServer((exchange) => bad[index++ % bad.length]?.(exchange))
  const round = async () => {
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => outcomeOf(postTo(server.url))))
    for (const { failure } of outcomes) expect(failure?.kind).toBe('too-large')
    Bun.gc(true)
  }
  await round()
  const before = memory()
  for (let count = 0; count < 8; count++) await round()
  expect(memory() - before).toBeLessThan(growthLimitBytes)
})

test('a second answer in the first is not taken for that of the next request', async () => {
  const whole = (data: string) =>
    `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${data.length + 8}\r\n\r\ndata: ${data}\n\n`
  await using server = await startRawServer((to) => to.say(whole('good') + whole('evil')))
  for (let count = 0; count < 5; count++) {
    const { events } = await outcomeOf(postTo(server.url))
    expect(events.filter((event) => event !== 'good')).toEqual([])
  }
})

test('a server is held back while nobody reads, and its pause is not idleness', async () => {
  await using server = await startRawServer((to) => to.head().pour(`data: ${'a'.repeat(9999)}\n\n`))
  const first = server.next()
  const before = memory()
  const { events } = await postTo(server.url, { idleMs: 100 })
  const exchange = await first
  await events.next()
  const limitBytes = 32 * 1024 * 1024
  // The time to fill the connection's buffers depends on the machine, so waits until they grow no more.
  for (let lastBytes = -1; lastBytes !== exchange.pouredBytes && lastBytes < limitBytes; ) {
    lastBytes = exchange.pouredBytes
    await Bun.sleep(200)
  }
  expect(exchange.pouredBytes).toBeLessThan(limitBytes)
  expect(memory() - before).toBeLessThan(growthLimitBytes)
  expect((await events.next()).done).toBe(false)
  await events.return(undefined)
  await exchange.closed
})
