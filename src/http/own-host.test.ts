import { afterAll, describe, expect, test } from 'bun:test'
import { openRaw } from '../testing/raw-connection.ts'
import { startTestServer } from '../testing/test-server.ts'
import { isOwnHost, machineNames } from './own-host.ts'
import { routes } from './routes.ts'

const server = startTestServer({
  config: { publicUrl: 'https://ai.example.com', hostNames: ['inferd', 'Box.example.net.'] },
})
afterAll(() => server[Symbol.asyncDispose]())

/** Request lines of all routes that are served only under this server's own names */
const guarded = routes
  .filter(({ access }) => !['public', 'key', 'ollama', 'share'].includes(access))
  .map(({ method, path }) => `${method} ${path.replace('*', 'x')}`)

/** Sends a request with these Host headers and an Origin for the first. Returns the whole answer. */
async function answerTo(line: string, ...hosts: string[]): Promise<string> {
  const { socket, closed } = await openRaw(server.url)
  const body = line.startsWith('POST') ? '{"email":"eve@example.org","password":"a-stranger-1"}' : ''
  const head = [
    `${line} HTTP/1.1`,
    ...hosts.map((host) => `Host: ${host}`),
    `Origin: http://${hosts[0]}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  const text = await closed()
  socket.destroy()
  return text
}

test('signup and the dashboard are among the routes under our own names', () => {
  expect(guarded).toEqual(
    expect.arrayContaining([
      'POST /v1/signup',
      'POST /openai/v1/signup',
      'GET /dashboard',
      'POST /dashboard/api/operations/x',
    ]),
  )
})

test.each(guarded)('%s is not served under a name that is not ours', async (line) => {
  const answer = await answerTo(line, 'evil.example')
  expect(answer).toStartWith('HTTP/1.1 421 ')
  expect(answer).toContain('"code":"unknown_host"')
  expect(answer).toContain('allowed-hosts')
  expect(answer.toLowerCase()).not.toMatch(/set-cookie|access-control/)
  expect(server.stores.accounts.findByEmail('eve@example.org')).toBeUndefined()
})

test('a percent-encoded path is no way around it', async () => {
  for (const path of ['/v1/%73ignup', '/v1/./signup', '/v1/signup/', '//v1/signup', '/%64ashboard/api/sign-in']) {
    expect(await answerTo(`POST ${path}`, 'evil.example')).toMatch(/^HTTP\/1\.1 4(04|21) /)
  }
})

test('the API itself, which takes keys and no cookies, is served under any name', async () => {
  expect(await answerTo('GET /v1/models', 'host.docker.internal')).toStartWith('HTTP/1.1 200 ')
  expect(await answerTo('GET /share/v1/models', 'host.docker.internal')).toStartWith('HTTP/1.1 404 ')
  expect(await answerTo('GET /health', 'evil.example')).toStartWith('HTTP/1.1 200 ')
})

test.each([
  '127.0.0.1:1',
  'localhost',
  '[::1]:11500',
  '192.0.2.7',
  'inferd:11500',
  'box.EXAMPLE.net',
  'ai.example.com',
])('the dashboard is served under %s', async (host) => {
  expect(await answerTo('GET /dashboard', host)).toStartWith('HTTP/1.1 200 ')
})

test.each([
  ['two names', ['localhost', 'evil.example']],
  ['a name twice', ['localhost', 'localhost']],
  ['an empty one beside a name', ['localhost', '']],
  ['two names in one header', ['localhost, evil.example']],
])('%s in the Host header are a 400 everywhere', async (_, hosts) => {
  for (const line of ['GET /dashboard', 'GET /v1/models', 'POST /v1/signup', 'OPTIONS /v1/models']) {
    const answer = await answerTo(line, ...hosts)
    expect(answer).toStartWith('HTTP/1.1 400 ')
    expect(answer).toContain('"code":"invalid_host"')
  }
})

describe('a host name', () => {
  const names = machineNames('Box.lan')
  test.each(['10.0.0.1', '[fe80::1]', '[::ffff:7f00:1]', 'localhost', 'localhost.', 'box', 'box.lan', 'box.local'])(
    '%s is ours',
    (host) => expect(isOwnHost(host, names)).toBe(true),
  )
  test.each([
    '',
    '.',
    'evil.example',
    'box.lan.evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'lan',
  ])('%p is not', (host) => expect(isOwnHost(host, names)).toBe(false))
})
