/** Requests that are refused before their body is read, and the cost of reading one. */
import { afterAll, expect, test } from 'bun:test'
import { plainMessages } from '../../testing/plain-messages.ts'
import { openRaw } from '../../testing/raw-connection.ts'
import { startTestServer } from '../../testing/test-server.ts'
import { routes } from '../routes.ts'

const pricing = { inputNanoUsd: 10_000_000, outputNanoUsd: 30_000_000, unit: '1M_tokens' } as const
const server = startTestServer({
  config: { bodyTimeoutMs: 100 },
  models: { 'test/fake': { manifest: { pricing } } },
})
const free = startTestServer({ engine: { contextTokens: 16_384 } })
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await free[Symbol.asyncDispose]()
})

const chat = '/v1/chat/completions'

interface Begun {
  readonly path?: string
  readonly key: string
  readonly headers?: readonly string[]
}

/** Sends a request up to its body. */
async function begin(url: string, { path = chat, key, headers = [] }: Begun) {
  const connection = await openRaw(url)
  const lines = [`POST ${path} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${key}`, ...headers]
  connection.socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  return connection
}

test.each([
  ['an unknown key is refused', 401, server.keys.unknown, ['content-length: 60000000']],
  ['an account without money is refused', 402, server.payer(0).key, ['content-length: 60000000']],
  ['compression is refused', 415, server.keys.valid, ['content-encoding: gzip', 'content-length: 60000000']],
  ['another type is refused', 400, server.keys.valid, ['content-type: text/plain', 'content-length: 60000000']],
  ['too large a body is refused', 413, server.keys.valid, ['content-length: 70000000']],
])('%s before its body is read, and the connection is closed', async (_, status, key, headers) => {
  const { closed } = await begin(server.url, { key, headers })
  const answer = await closed()
  expect(answer).toStartWith(`HTTP/1.1 ${status} `)
  expect(answer).toMatch(/connection: close/i)
})

/** Requests that change models have small bodies, which no thread parses. */
const isOfModels = ({ path }: { readonly path: string }) => ['/api/pull', '/api/delete'].includes(path)
const withBodies = routes.filter(({ body, file }) => body !== undefined && file === undefined)

test.each(withBodies.filter((route) => ['key', 'ollama'].includes(route.access) && !isOfModels(route)))(
  'the thread knows who reads the large bodies of $path',
  async ({ path }) => {
    const answer = await free.post(path, { model: 'no/such', padding: 'x'.repeat(10_000) })
    expect(answer.status).toBe(404)
  },
)

test('a small body that nobody read does not end the connection', async () => {
  const { socket, until } = await begin(server.url, { key: server.keys.unknown, headers: ['content-length: 5000'] })
  await until('invalid_api_key')
  socket.write(`${'x'.repeat(5000)}GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  await until('{"status":"ok"}')
  socket.destroy()
})

test.each([
  ['chats', chat],
  ['signups', '/v1/signup'],
])('a body of %s that stops arriving is given up', async (_, path) => {
  const { socket, closed } = await begin(server.url, { path, key: server.keys.valid, headers: ['content-length: 100'] })
  socket.write('{"model":')
  const answer = await closed()
  expect(answer).toStartWith('HTTP/1.1 408 ')
  expect(answer).toContain('"code":"request_timeout"')
})

test('who has no money may use what is free, with a body of up to a megabyte', async () => {
  const { key } = free.payer(0)
  const post = (bytes: number) => {
    const content = 'x'.repeat(bytes)
    const body = { model: 'fake', messages: [{ role: 'user', content }] }
    return free.post(chat, body, { authorization: `Bearer ${key}` })
  }
  expect((await post(100)).status).toBe(200)
  expect((await post(100_000)).status).toBe(200)
  expect((await post(1_100_000)).status).toBe(413)
})

test.each([
  ['values side by side', `[${'{},'.repeat(2_000_000)}{}]`],
  ['keys', `{${'"":0,'.repeat(2_000_000)}"":0}`],
])('a body with millions of %s is refused', async (_, body) => {
  const answer = await server.post(chat, body)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({
    error: { code: 'invalid_json', message: expect.stringContaining('2000000 values') },
  })
})

test('while a large body is parsed the event loop goes on', async () => {
  const messages = Array.from({ length: 10_000 }, () => ({ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }))
  let isAnswered = false
  const answer = server
    .post(chat, { model: 'test/fake', messages: [...messages, { role: 'owner' }] })
    .then((response) => {
      isAnswered = true
      return response
    })
  let probes = 0
  while (!isAnswered) {
    await fetch(`${server.url}/health`)
    probes++
  }
  expect((await answer).status).toBe(400)
  expect(probes).toBeGreaterThan(5)
})

test('a conversation of 10,000 messages reaches the engine whole', async () => {
  const messages = Array.from({ length: 10_000 }, (_, index) => ({ role: 'user' as const, content: `${index} äöü €` }))
  const echo = { role: 'user', content: JSON.stringify({ script: [{ echoRequest: true }] }) }
  const answer = await free.post(chat, { model: 'fake', messages: [...messages, echo] })
  const { choices } = Object(await answer.json())
  expect(plainMessages(JSON.parse(choices[0].message.content).messages).slice(0, -1)).toEqual(messages)
})
