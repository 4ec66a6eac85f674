/** Refused surfaces and fields: a 4xx in the dialect's form with the remedy, whatever the body. */
import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../core/json.ts'
import { mutatedJson, oddValue } from '../testing/mutated-json.ts'
import { startTestServer } from '../testing/test-server.ts'
import { chatBodies, messagesBodies, responsesBodies } from '../testing/valid-bodies.ts'
import { allowedMethods } from './path-rules.ts'
import { routes } from './routes.ts'
import { unserved, unservedSurfaces } from './unserved.ts'

const server = startTestServer()
afterAll(() => server[Symbol.asyncDispose]())

const cases = 100
const paths = unservedSurfaces.flatMap((surface) => surface.paths.map((path) => ({ path })))
const shared = '/v1/files'

function ask(path: string, method: string, body?: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${server.keys.valid}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  })
}

/** Checks the form of a refusal, which depends on the path, and returns its code, parameter and message. */
async function readRefusal(response: Response, path: string) {
  expect(response.headers.get('x-should-retry')).toBe('false')
  const answered = JSON.parse(await response.text())
  if (path.startsWith('/api/')) return { ...answered, message: answered.error }
  if (path.startsWith('/v2/')) return answered
  const { error, type } = answered
  expect(type).toBe(path.startsWith('/v1/messages') ? 'error' : undefined)
  return error
}

test.each(paths.filter(({ path }) => allowedMethods(routes, path).length === 0))(
  '$path is refused',
  async ({ path }) => {
    const message = unserved(path)?.message
    for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) {
      const response = await ask(path, method)
      expect(response.status).toBe(404)
      expect(await readRefusal(response, path)).toMatchObject({ code: 'not_supported', message })
    }
  },
)

test.each(unservedSurfaces)(
  'what is below $paths is refused, with and without a key, whatever the body',
  async ({ paths }) => {
    const bodies = [...chatBodies, ...responsesBodies, ...messagesBodies]
    const text = fc.oneof(
      mutatedJson(bodies),
      oddValue.map((value) => JSON.stringify(value)),
      fc.string({ unit: 'binary' }),
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), text, fc.boolean(), async (path, body, isGuest) => {
        const below = `${path}/x_1/y`
        const { message } = unserved(below) ?? {}
        expect(message).toMatch(/^[A-Z'].+: .+\.$/)
        const response = await ask(below, 'POST', body, isGuest ? { authorization: '' } : {})
        expect(response.status).toBe(404)
        expect(await readRefusal(response, path)).toMatchObject({ code: 'not_supported', message })
      }),
      { numRuns: cases, includeErrorInReport: true },
    )
  },
  60_000,
)

test('a client of the messages dialect gets its form at paths that dialects share', async () => {
  const response = await ask(shared, 'POST', '{}', { 'anthropic-version': '2023-06-01' })
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({
    type: 'error',
    error: { type: 'not_found_error', code: 'not_supported', message: unserved(shared)?.message },
    request_id: response.headers.get('request-id'),
  })
})

test('a web socket of a realtime client is refused before it opens', async () => {
  const path = '/v1/realtime?model=fake'
  const response = await ask(path, 'GET', undefined, { upgrade: 'websocket', connection: 'upgrade' })
  expect(response.status).toBe(404)
  expect(await readRefusal(response, path)).toMatchObject({
    code: 'not_supported',
    message: unserved('/v1/realtime')?.message,
  })
})

test('a file of 20 MB is read to its end, so that its client reads the refusal', async () => {
  const body = new FormData()
  body.set('purpose', 'user_data')
  body.set('file', new File([new Uint8Array(20_000_000)], 'a.pdf'))
  const response = await fetch(server.url + shared, { method: 'POST', body })
  expect(response.status).toBe(404)
  expect(await readRefusal(response, shared)).toMatchObject({ code: 'not_supported' })
})

test('the same is refused below the other prefix, and nothing that is only named alike', () => {
  expect(unserved('/openai/v1/files/')?.message).toBe(unserved('/v1/files')?.message ?? '')
  for (const path of ['/v1/filesystem', '/files', '/completions', '/openai/v2/chat', '/v1/models', '/v1'])
    expect(unserved(path)).toBeUndefined()
})

const stateful = {
  previous_response_id: 'input',
  conversation: 'input',
  prompt: 'instructions',
  background: 'stream',
}
const bodiesOf: Readonly<Record<string, readonly JsonObject[]>> = {
  '/v1/responses': responsesBodies,
  '/v1/responses/input_tokens': responsesBodies,
  '/v1/chat/completions': chatBodies,
  '/v1/messages': messagesBodies,
}
const fields: readonly (readonly [path: string, field: string, remedy: string])[] = [
  ...Object.entries(stateful).map(([field, remedy]) => ['/v1/responses', field, remedy] as const),
  ...Object.entries(stateful).map(([field, remedy]) => ['/v1/responses/input_tokens', field, remedy] as const),
  ['/v1/chat/completions', 'modalities', '/v1/audio/speech'],
  ['/v1/chat/completions', 'audio', '/v1/audio/speech'],
  ['/v1/chat/completions', 'web_search_options', 'tools'],
  ['/v1/messages', 'mcp_servers', 'client'],
  ['/v1/messages', 'thread', 'whole conversation'],
  ['/v1/messages', 'compaction', 'summary'],
]

test.each(fields)(
  '%s with %s is refused with its remedy, whatever else it holds',
  async (path, field, remedy) => {
    const bodies = bodiesOf[path] ?? []
    const [valid = {}] = bodies
    const plain = await ask(path, 'POST', JSON.stringify({ ...valid, [field]: ['x'] }))
    expect(plain.status).toBe(400)
    const refusal = await readRefusal(plain, path)
    expect(refusal).toMatchObject({ code: 'unsupported_parameter', param: field })
    expect(refusal.message).toContain(remedy)
    const value = oddValue.filter((value) => !isHarmless(value))
    await fc.assert(
      fc.asyncProperty(mutatedJson(bodies), value, async (text, value) => {
        const body: unknown = JSON.parse(text)
        const isBody = typeof body === 'object' && body !== null && !Array.isArray(body)
        const response = await ask(path, 'POST', JSON.stringify(isBody ? { ...body, [field]: value } : body))
        expect([400, 404]).toContain(response.status)
        const { error } = JSON.parse(await response.text())
        expect(error).toMatchObject({ code: expect.any(String), message: expect.stringMatching(/.{6,}/) })
      }),
      { numRuns: cases, includeErrorInReport: true },
    )
  },
  60_000,
)

/** Returns whether some field takes the value for nothing. */
function isHarmless(value: JsonValue): boolean {
  return value === null || value === false || (Array.isArray(value) && value.every((each) => each === 'text'))
}
