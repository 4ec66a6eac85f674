/** Sends requests to every route that may need no key, as every caller that it does not serve. */
import { afterAll, describe, expect, test } from 'bun:test'
import { startTestServer } from '../testing/test-server.ts'
import { textModels } from '../testing/text-models.ts'
import { ollamaDoor } from './ollama-door.ts'
import type { Route } from './route.ts'
import { routes } from './routes.ts'

const listed = 'app://obsidian.md'
const config = { servesKeyless: true, keylessOrigins: [listed] }
const server = startTestServer({ hasOllamaDoor: true, config, models: textModels })
const closed = startTestServer({ hasOllamaDoor: true, models: textModels })
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await closed[Symbol.asyncDispose]()
})

const { ollamaUrl = '' } = server
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const other = { origin: 'https://evil.example' }

interface Caller {
  readonly headers: Record<string, string>
  readonly status?: number
  /** Error code of the refusal. Undefined for callers that are served. */
  readonly code?: string
  /** `access-control-allow-origin` of the answer. */
  readonly readers?: string
  readonly at?: typeof server
}

const forwarding = ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'X-Forwarded-Host', 'Via', 'CF-Connecting-IP']
const noKey = { status: 401, code: 'missing_api_key' }
const page = { status: 403, code: 'cross_origin' }

const callers: Readonly<Record<string, Caller>> = {
  'a program': { headers: {} },
  'a program whose key is empty': { headers: { authorization: 'Bearer ' } },
  'a program that sends a body as text': { headers: { 'content-type': 'text/plain' } },
  'an address that somebody typed': { headers: { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' } },
  'a program where a key is needed': { headers: {}, ...noKey, at: closed },
  'a listed page where a key is needed': { headers: { origin: listed }, ...noKey, at: closed },
  'a key without its scheme': { headers: { authorization: server.keys.valid }, ...noKey, readers: '*' },
  'a password': { headers: { authorization: 'Basic YTpi' }, ...noKey, readers: '*' },
  'an unknown key': { headers: bearer(server.keys.unknown), status: 401, code: 'invalid_api_key', readers: '*' },
  'a revoked key': { headers: bearer(server.keys.revoked), status: 401, code: 'key_revoked', readers: '*' },
  'a key of a page elsewhere': { headers: { ...other, ...bearer(server.keys.valid) }, readers: '*' },
  'a key under another name': { headers: { host: 'evil.example', ...bearer(server.keys.valid) }, readers: '*' },
  'a listed page': { headers: { origin: listed, 'sec-fetch-site': 'cross-site' }, readers: listed },
  'a page whose origin begins as a listed one': { headers: { origin: `${listed}.evil.example` }, ...page },
  'a page elsewhere': { headers: other, ...page },
  'a page elsewhere that sends a body as text': { headers: { ...other, 'content-type': 'text/plain' }, ...page },
  'a page elsewhere with an empty key': { headers: { ...other, authorization: 'Bearer ' }, ...page },
  'a page of another port': { headers: { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }, ...page },
  'a page of this server': { headers: { origin: server.url, 'sec-fetch-site': 'same-origin' }, ...page },
  'a page out of a file': { headers: { origin: 'null' }, ...page },
  'a picture in a page elsewhere': { headers: { 'sec-fetch-site': 'cross-site' }, ...page },
  'a picture in a page of another port': { headers: { 'sec-fetch-site': 'same-site' }, ...page },
  'a page that leads its own name here': { headers: { host: 'evil.example' }, status: 421, code: 'unknown_host' },
  ...Object.fromEntries(
    forwarding.map((name) => [`a proxy with ${name}`, { headers: { [name]: '127.0.0.1' }, ...noKey }]),
  ),
}

const refusals: readonly unknown[] = Object.values(callers).flatMap(({ code }) => code ?? [])

/** Routes with their addresses */
const rows = [
  ...routes.filter(({ access }) => access === 'ollama').map((route) => ({ route, isDoor: false })),
  ...ollamaDoor(routes).map((route) => ({ route, isDoor: true })),
].flatMap(({ route, isDoor }) =>
  route.access === 'ollama'
    ? [{ name: `${route.method} ${route.path}${isDoor ? '' : ' of the main port'}`, route, isDoor }]
    : [],
)

async function send({ method, path }: Route, url: string, headers: Record<string, string>) {
  const isWithBody = method === 'POST' || method === 'DELETE'
  const response = await fetch(url + path.replace('*', 'x'), {
    method,
    headers: { ...(isWithBody ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(isWithBody ? { body: '{"stream":false}' } : {}),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  const body = isJson ? Object(JSON.parse(text)) : {}
  const code: unknown = body.code ?? Object(body.error).code
  return { status: response.status, code, headers: response.headers }
}

describe.each(Object.entries(callers))('%s', (_, { headers, status, code, readers, at = server }) => {
  test.each(rows)('at $name', async ({ route, isDoor }) => {
    const answer = await send(route, isDoor ? (at.ollamaUrl ?? '') : at.url, headers)
    if (code === undefined) expect(refusals).not.toContain(Object(answer).code)
    else expect({ status: answer.status, code: answer.code }).toEqual({ status: status ?? 0, code })
    expect(answer.status).toBeLessThan(500)
    expect(answer.headers.get('access-control-allow-origin')).toBe(readers ?? null)
    if (readers === undefined) {
      expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
  })
})

test.each(ollamaDoor(routes).map((route) => ({ name: `${route.method} ${route.path}`, route })))(
  'no page may read $name without a key, nor ask whether it may',
  async ({ route }) => {
    const answer = await send(route, ollamaUrl, other)
    if (route.access !== 'key') expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    const asked = {
      ...other,
      'access-control-request-method': route.method,
      'access-control-request-private-network': 'true',
    }
    const address = ollamaUrl + route.path.replace('*', 'x')
    for (const names of ['content-type', undefined]) {
      const headers = { ...asked, ...(names !== undefined && { 'access-control-request-headers': names }) }
      const { headers: granted, status } = await fetch(address, { method: 'OPTIONS', headers })
      expect(status).toBe(204)
      expect([...granted.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
    // The preflight of a page that has a key must succeed.
    const withKey = { ...asked, 'access-control-request-headers': 'authorization, content-type' }
    const { headers: granted } = await fetch(address, { method: 'OPTIONS', headers: withKey })
    expect(granted.get('access-control-allow-origin')).toBe('*')
    expect(granted.get('access-control-allow-private-network')).toBeNull()
  },
)

test('without a key the operator pays, under a key that can be revoked', async () => {
  await using own = startTestServer({ hasOllamaDoor: true, config: { servesKeyless: true } })
  const chat = () =>
    fetch(`${own.ollamaUrl}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'fake', messages: [{ role: 'user', content: 'hi' }] }),
    })
  expect((await chat()).status).toBe(200)
  const [key] = own.stores.keys.list().filter(({ prefix }) => prefix.startsWith('keyless-'))
  const [used] = own.stores.usage.list({ accountId: own.accountId })
  expect(used).toMatchObject({ keyId: key?.id })
  own.stores.keys.revoke(key?.id ?? '')
  const refused = await chat()
  expect(refused.status).toBe(401)
  expect(await refused.json()).toMatchObject({ error: { code: 'key_revoked' } })
})

test('without a key, lists of models leave out those that limits of such use leave out', async () => {
  await using own = startTestServer({ hasOllamaDoor: true, config: { servesKeyless: true }, models: textModels })
  const [key] = own.stores.keys.list().filter(({ prefix }) => prefix.startsWith('keyless-'))
  await own.stores.commits.run(() => own.stores.limits.set(key?.id ?? '', { models: ['test/fake'] }))
  const list = async (path: string) => {
    const answer = await fetch(own.ollamaUrl + path)
    return Object(await answer.json()).data?.map(({ id }: { id: string }) => id) ?? answer.status
  }
  expect(await list('/v1/models')).toEqual(['test/fake', 'fake'])
  expect(await list(`/v1/models/${Object.keys(textModels)[0]}`)).toBe(403)
  own.stores.keys.revoke(key?.id ?? '')
  expect((await list('/v1/models')).length).toBeGreaterThan(2)
})

test('where the account that pays is disabled, an answer says so', async () => {
  await using own = startTestServer({ hasOllamaDoor: true, config: { servesKeyless: true } })
  own.stores.accounts.setDisabled(own.accountId, true)
  const refused = await fetch(`${own.ollamaUrl}/api/tags`)
  expect(refused.status).toBe(401)
  expect(await refused.json()).toMatchObject({ code: 'account_disabled' })
})

test('errors name pages at the port that has them', async () => {
  const refused = await fetch(`${ollamaUrl}/api/nothing`)
  const { docs_url } = Object(await refused.json())
  expect(docs_url).toStartWith(`${server.url}/docs/errors#`)
  expect((await fetch(docs_url)).status).toBe(200)
})

test('the port of Ollama serves nothing else', async () => {
  const paths = [
    '/dashboard',
    '/admin',
    '/v1/signup',
    '/health',
    '/metrics',
    '/docs',
    '/openai/v1/models',
    '/share/v1/models',
    '/ui/x',
    '/dashboard/api/status',
  ]
  for (const path of paths)
    expect({ path, status: (await fetch(ollamaUrl + path)).status }).toEqual({ path, status: 404 })
  const root = await fetch(ollamaUrl)
  expect(root.headers.get('content-type')).toStartWith('text/plain')
  expect(await root.text()).toBe('Ollama is running')
  expect((await fetch(ollamaUrl, { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(`${ollamaUrl}/v1/models`)).status).toBe(200)
  expect((await fetch(`${ollamaUrl}/v1/account`)).status).toBe(401)
})

test('the setting takes it off the main port alone', async () => {
  await using off = startTestServer({ hasOllamaDoor: true, config: { servesOllama: false } })
  for (const { route, isDoor } of rows) {
    const { status } = await send(route, isDoor ? (off.ollamaUrl ?? '') : off.url, {})
    expect({ path: route.path, status }).toEqual({ path: route.path, status: isDoor ? 401 : 404 })
  }
})
