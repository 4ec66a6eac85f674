import { afterAll, expect, test } from 'bun:test'
import { openRaw } from '../testing/raw-connection.ts'
import { startTestServer } from '../testing/test-server.ts'

const bodyLimitBytes = 200_000
const server = startTestServer({ config: { bodyLimitBytes } })
afterAll(() => server[Symbol.asyncDispose]())

const hello = JSON.stringify({ model: 'fake', messages: [{ role: 'user', content: 'Hello' }] })

function head(...lines: string[]): string {
  const all = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: localhost',
    `authorization: Bearer ${server.keys.valid}`,
    'content-type: application/json',
    ...lines,
  ]
  return `${all.join('\r\n')}\r\n\r\n`
}

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`
}

test('a body in chunks is read like any other', async () => {
  const { socket, until } = await openRaw(server.url)
  socket.write(head('transfer-encoding: chunked'))
  for (const piece of [hello.slice(0, 10), hello.slice(10)]) socket.write(chunk(piece))
  socket.write('0\r\n\r\n')
  expect(await until('"finish_reason":"stop"')).toStartWith('HTTP/1.1 200 ')
  socket.destroy()
})

test('a body in chunks that never ends is refused as soon as it is over the limit', async () => {
  const { socket, until } = await openRaw(server.url)
  socket.write(head('transfer-encoding: chunked'))
  const piece = chunk('x'.repeat(50_000))
  for (let sent = 0; sent <= bodyLimitBytes; sent += 50_000) socket.write(piece)
  const answer = await until('payload_too_large')
  expect(answer).toStartWith('HTTP/1.1 413 ')
  expect(answer).toMatch(/x-request-id: req_/i)
  socket.destroy()
})

test('a body whose declared length is over the limit is refused before it is sent', async () => {
  const { socket, closed } = await openRaw(server.url)
  socket.write(head('content-length: 200001'))
  const answer = await closed()
  expect(answer).toStartWith('HTTP/1.1 413 ')
  expect(answer).toContain('"code":"payload_too_large"')
})

test('a form that is refused unread can be sent to its end, which some clients do before they look at the answer', async () => {
  const { socket, until, received } = await openRaw(server.url)
  const sizeBytes = 20_000_000
  const wrongKey = 'POST /v1/audio/transcriptions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer wrong\r\n'
  socket.write(`${wrongKey}content-type: multipart/form-data; boundary=x\r\ncontent-length: ${sizeBytes}\r\n\r\n`)
  expect(await until('invalid_api_key')).toStartWith('HTTP/1.1 401 ')
  expect(received()).not.toMatch(/connection: close/i)
  socket.write(Buffer.alloc(sizeBytes))
  socket.write(`GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  await until('HTTP/1.1 200 ')
  socket.destroy()
})

test.each([
  ['opens brackets without end', '['.repeat(100_000)],
  ['nests objects', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
  ['nests beside what is known', hello.replace('{', `{"x":${'['.repeat(5_000)}${']'.repeat(5_000)},`)],
])('a body that %s is no JSON that is read', async (_, body) => {
  const answer = await server.post('/v1/chat/completions', body)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: { code: 'invalid_json' } })
})

test('brackets within texts are no nesting', async () => {
  const content = `"${'[{'.repeat(2_000)}`
  const answer = await server.post('/v1/chat/completions', { model: 'fake', messages: [{ role: 'user', content }] })
  expect(answer.status).toBe(200)
})

test('a body of exactly the limit is read', async () => {
  const { socket, until } = await openRaw(server.url)
  socket.write(head(`content-length: ${bodyLimitBytes}`, 'connection: close') + hello.padEnd(bodyLimitBytes))
  expect(await until('"finish_reason":"stop"')).toStartWith('HTTP/1.1 200 ')
  socket.destroy()
})

test('headers sent twice or with strange bytes do not break the answer', async () => {
  const { socket, until } = await openRaw(server.url)
  const strange = ['authorization: Bearer other', 'content-type: text/plain', 'x-odd: \u00ff\u00fe']
  socket.write(Buffer.from(head(`content-length: ${hello.length}`, ...strange) + hello, 'latin1'))
  expect(await until('invalid_api_key')).toStartWith('HTTP/1.1 401 ')
  socket.destroy()
})

test('a host that forms no address is a 400 with an error body', async () => {
  const { socket, until } = await openRaw(server.url)
  socket.write('GET /v1/models HTTP/1.1\r\nhost: a b<>\r\n\r\n')
  expect(await until('invalid_host')).toStartWith('HTTP/1.1 400 ')
  socket.destroy()
})

test('a client that leaves in the middle of its body leaves a line and nothing else', async () => {
  const { socket } = await openRaw(server.url)
  socket.write(`${head('content-length: 1000')}{"model":`)
  // The server has the request once it has answered a later one on another connection.
  await server.post('/v1/chat/completions', hello)
  socket.destroy()
  expect(await server.line((line) => line.isAborted === true)).toMatchObject({ status: 499, code: undefined })
})
