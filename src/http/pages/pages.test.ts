import { afterAll, expect, test } from 'bun:test'
import { startTestServer } from '../../testing/test-server.ts'
import { forwardedPaths, pagePaths } from '../../wire/page-paths.ts'

const server = startTestServer()
afterAll(() => server[Symbol.asyncDispose]())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers, redirect: 'manual', decompress: false })

const securityHeaders = {
  'content-security-policy': expect.stringContaining("default-src 'none'; script-src 'self'"),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': expect.stringContaining('microphone=(self)'),
}

test.each([...pagePaths, ...forwardedPaths, '/dashboard/', '/sign-in?token=x'])(
  '%s is a document without anything inline',
  async (path) => {
    const response = await get(path.replace('*', 'some/id'))
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...securityHeaders,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    })
    expect(response.headers.has('access-control-allow-origin')).toBe(false)
    expect(text).not.toMatch(/<style|style=|<script(?![^>]* src=)|\bon\w+=/)
  },
)

test('a path of no page is nothing', async () => {
  expect((await get('/dashboard/nothing')).status).toBe(404)
  expect((await get('/dashboard/nothing')).headers.get('content-type')).toContain('application/json')
  expect((await get('/dashboard/keys/nothing')).status).toBe(404)
})

test.each(['/dashboard/nothing', '/admin/nothing', '/dashboard/keys/nothing', '/nothing', '/docs/nothing'])(
  'a browser gets a page that says so at %s',
  async (path) => {
    const response = await get(path, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
    expect(response.status).toBe(404)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...securityHeaders,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    })
    expect(await response.text()).not.toMatch(/<style|style=|<script(?![^>]* src=)|\bon\w+=/)
  },
)

test.each(['/v1/nothing', '/dashboard/api/nothing', '/dashboard/v1/nothing', '/admin/api/nothing', '/ui/nothing.js'])(
  'programs use %s, so that a browser gets JSON as well',
  async (path) => {
    const response = await get(path, { accept: 'text/html' })
    expect(response.headers.get('content-type')).toContain('application/json')
  },
)

test('every file that a document names is served, for ever, and compressed where that is accepted', async () => {
  const document = await (await get('/dashboard')).text()
  const addresses = [...document.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address)
  expect(addresses.length).toBeGreaterThan(2)
  const types = {
    ...{ css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml', png: 'image/png' },
    webmanifest: 'application/manifest+json',
  }
  for (const address of addresses) {
    const plain = await get(address, { 'accept-encoding': 'identity' })
    expect(plain.status).toBe(200)
    expect(Object.fromEntries(plain.headers)).toMatchObject({
      ...securityHeaders,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      'content-type': expect.stringContaining(types[address.split('.').at(-1) as keyof typeof types]),
    })
    const compressed = await get(address, { 'accept-encoding': 'br, gzip' })
    expect(compressed.headers.get('content-encoding')).toBe('gzip')
    expect(Bun.gunzipSync(await compressed.arrayBuffer())).toEqual(new Uint8Array(await plain.arrayBuffer()))
    const refused = await get(address, { 'accept-encoding': 'br, gzip; q=0' })
    expect(refused.headers.has('content-encoding')).toBe(false)
  }
})

test.each([
  '/ui/none.js',
  '/ui/dashboard.html',
  '/ui/dashboard.html/',
  '/ui/',
  '/ui/../package.json',
  '/ui/..%2fpackage.json',
  '/ui/%2e%2e/x',
])('there is nothing at %s', async (path) => {
  expect((await get(path)).status).toBe(404)
})

test('a browser goes from the root to the pages, a program learns where the API is', async () => {
  const browser = await get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
  expect([browser.status, browser.headers.get('location')]).toEqual([302, '/dashboard'])
  const program = await get('/', { accept: '*/*' })
  expect(await program.json()).toMatchObject({ name: 'inferd' })
})

function performOwn(headers: Record<string, string>): Promise<Response> {
  return fetch(`${server.url}/dashboard/api/operations/accounts-show-own`, {
    method: 'POST',
    headers: { origin: server.url, 'content-type': 'application/json', ...headers },
    body: '{}',
  })
}

test('only who is signed in learns the version', async () => {
  const secret = server.stores.sessions.begin(server.accountId)
  const own = await performOwn({ cookie: `inferd_session=${secret}` })
  expect(own.headers.get('x-inferd-version')).toBe('test')
  for (const answer of [await performOwn({}), await get('/dashboard'), await get('/')]) {
    expect(answer.headers.has('x-inferd-version')).toBe(false)
  }
})

test('the plain documents take the stylesheet of the pages', async () => {
  const response = await get('/docs/errors')
  expect(Object.fromEntries(response.headers)).toMatchObject(securityHeaders)
  expect(await response.text()).toMatch(/<link rel="stylesheet" href="\/ui\/[\w-]+\.css">/)
})
