import { expect, test } from 'bun:test'
import { outcomeOf, postTo, upstreamKey } from '../../../testing/upstream/event-outcome.ts'
import { type RawExchange, startRawServer } from '../../../testing/upstream/raw-server.ts'

const refusal = (status: string, headers: string, body: string) => (exchange: RawExchange) =>
  exchange.end(`HTTP/1.1 ${status}\r\n${headers}connection: close\r\n\r\n${body}`)

test('its status, its text without the key, and when to come back', async () => {
  await using server = await startRawServer(
    refusal('429 Slow down', 'retry-after: 7\r\n', `{"error":"no, ${upstreamKey}"}`),
  )
  const { failure } = await outcomeOf(postTo(server.url))
  expect(failure).toMatchObject({
    kind: 'status',
    status: 429,
    retryAfterSeconds: 7,
    detail: '{"error":"no, [key]"}',
  })
  expect(failure?.message).toBe('the server answers with the status 429')
})

test('a date of return is at most an hour away', async () => {
  await using server = await startRawServer(refusal('503 Later', 'retry-after: Wed, 01 Jan 2126 00:00:00 GMT\r\n', ''))
  expect((await outcomeOf(postTo(server.url))).failure).toMatchObject({
    status: 503,
    retryAfterSeconds: 3600,
    detail: '',
  })
})

test('redirects are not followed, and the key goes nowhere else', async () => {
  await using elsewhere = await startRawServer(() => undefined)
  await using server = await startRawServer(refusal('307 Moved', `location: ${elsewhere.url}\r\n`, ''))
  expect((await outcomeOf(postTo(server.url))).failure).toMatchObject({ kind: 'redirect', status: 307, detail: '' })
  expect(elsewhere.connections).toBe(0)
})

test('its text is read no further than its limit', async () => {
  await using server = await startRawServer((to) => to.say('HTTP/1.1 500 Oh\r\n\r\n').pour('no '.repeat(9999)))
  const { failure } = await outcomeOf(postTo(server.url))
  expect(failure?.status).toBe(500)
  expect(failure?.detail).toHaveLength(64 * 1024)
})

test('a text that does not come is not waited for', async () => {
  await using server = await startRawServer((to) => to.say('HTTP/1.1 500 Oh\r\n\r\nbegun'))
  expect((await outcomeOf(postTo(server.url, { errorMs: 100 }))).failure).toMatchObject({
    status: 500,
    detail: 'begun',
  })
})

test('one that is compressed is told without its text', async () => {
  await using server = await startRawServer(refusal('401 No', 'content-encoding: gzip\r\n', 'bytes'))
  expect((await outcomeOf(postTo(server.url))).failure).toMatchObject({ kind: 'status', status: 401, detail: '' })
})
