/** Requests that only a raw connection can send. */
import { afterAll, expect, test } from 'bun:test'
import { openRaw } from '../testing/raw-connection.ts'
import { startTestServer } from '../testing/test-server.ts'

const server = startTestServer()
afterAll(() => server[Symbol.asyncDispose]())

/** Sends the request line on a connection that closes after the answer. Resolves with the answer. */
async function answerTo(line: string): Promise<string> {
  const { socket, closed } = await openRaw(server.url)
  socket.write(`${line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`)
  const text = await closed()
  socket.destroy()
  return text
}

test.each([
  '/v1/%2e%2e/dashboard',
  '/v1/../dashboard',
  '/v1/.%2E/health',
  '/%2e%2e/health',
  '/x/../v1/models',
  '/openai/v1/../../health',
  '/docs\\..\\health',
])('a path that is written as if it lay elsewhere is not found: %s', async (path) => {
  const answer = await answerTo(`GET ${path}`)
  expect(answer).toStartWith('HTTP/1.1 404 ')
  expect(answer).toContain('"code":"not_found"')
})

test.each(['/v1/./models', '/v1/models/', '/v1/models?from=/../..', '/openai/v1/models'])(
  'other ways to write a path are served: %s',
  async (path) => {
    expect(await answerTo(`GET ${path}`)).toStartWith('HTTP/1.1 200 ')
  },
)

test.each(['PROPFIND', 'TRACE', 'LINK', 'QUERY', 'PURGE', 'PATCH', 'CONNECT'])('%s is a 405', async (method) => {
  const answer = await answerTo(`${method} /health`)
  expect(answer).toStartWith('HTTP/1.1 405 ')
  expect(answer).toMatch(/allow: GET, HEAD, OPTIONS/i)
})
