import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'
import { isHttps } from './access.ts'

let server: ServedProcess
let [secure, clear, root] = ['', '', '']

beforeAll(async () => {
  server = await startServedProcess(['--tls', 'own-ca', '--no-local-http', '--hsts-days', '2'])
  secure = new URL(server.baseUrl).origin
  clear = secure.replace('https', 'http')
  root = await (await fetch(`${clear}/ca.pem`)).text()
})
afterAll(() => server[Symbol.asyncDispose]())

test('clients that trust the root reach pages and API by https, and HSTS is told as set', async () => {
  const tls = { ca: root }
  const health = await fetch(`${secure}/health`, { tls })
  expect(health.status).toBe(200)
  expect(health.headers.get('strict-transport-security')).toBe('max-age=172800')
  const models = await fetch(`${server.baseUrl}/models`, { tls, headers: { authorization: `Bearer ${server.key}` } })
  expect(models.status).toBe(200)
  const trust = await (await fetch(`${secure}/docs/tls`, { tls })).text()
  expect(trust).toContain('update-ca-certificates')
})

test('in clear, pages lead to https', async () => {
  for (const path of ['/', '/dashboard/billing?a=1', '/admin', '/docs']) {
    const answer = await fetch(clear + path, { redirect: 'manual' })
    expect([path, answer.status, answer.headers.get('location')]).toEqual([path, 307, secure + path])
    expect(answer.headers.get('strict-transport-security')).toBeNull()
  }
})

test.each([
  ['POST', '/v1/chat/completions', {}],
  ['POST', '/v1/messages', {}],
  ['POST', '/dashboard/api/sign-in', {}],
  ['GET', '/v1/models', {}],
  ['GET', '/tokenizer_info', { authorization: 'Bearer sk-inferd-x' }],
  ['POST', '/nothing', {}],
])(
  'in clear, %s %s is refused and not redirected, because the client would send its key again',
  async (method, path, headers) => {
    const body = method === 'POST' ? '{}' : undefined
    const answer = await fetch(clear + path, { method, headers, redirect: 'manual', ...(body && { body }) })
    expect(answer.status).toBe(403)
    expect(JSON.stringify(await answer.json())).toContain(
      'is served by https alone: set the base URL to https://127.0.0.1:',
    )
    expect(answer.headers.get('x-should-retry')).toBe('false')
  },
)

test('the own socket tells the certificate in use', async () => {
  expect(await server.status()).toMatchObject({
    ...{ url: secure, localUrl: secure },
    tls: { mode: 'own-ca', names: expect.arrayContaining(['localhost', '127.0.0.1', '::1']) },
  })
})

test.each([
  ['https://box:11500/', 'https://box:11500', true],
  ['https://10.0.0.5/', 'https://ai.example.com', true],
  ['http://ai.example.com/', 'https://ai.example.com', true],
  ['http://ai.example.com/', 'http://ai.example.com', false],
  ['http://127.0.0.1:11500/', 'https://ai.example.com', false],
])('%s of a server at %s counts as https: %p', (url, baseUrl, expected) => {
  expect(isHttps(new URL(url), baseUrl)).toBe(expected)
})
