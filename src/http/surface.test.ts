import { afterAll, describe, expect, test } from 'bun:test'
import { nothingConsumed } from '../core/usage.ts'
import { play, type Scenario } from '../testing/scenario.ts'
import { startTestServer } from '../testing/test-server.ts'
import { errorReference } from './error-reference.ts'
import { routes } from './routes.ts'

const server = startTestServer({
  engine: { contextTokens: 65_536 },
  models: {
    'test/embed': { manifest: { type: 'embedding' } },
    'test/absent': { manifest: { engine: 'llama' }, status: { kind: 'available' } },
    'test/broken': { status: { kind: 'broken', reason: 'model.gguf ends too early' } },
  },
})
afterAll(() => server[Symbol.asyncDispose]())

const messages = [{ role: 'user', content: 'Hello there' }]
const hello = { model: 'test/fake', messages }
const chat = '/v1/chat/completions'
const messagesPath = '/v1/messages'
const question = { ...hello, max_tokens: 10 }
const ownKey = { 'x-api-key': server.keys.valid }
const script = (...actions: unknown[]) => [{ role: 'user', content: JSON.stringify({ script: actions }) }]
const sse = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }

const scenarios: Record<string, readonly Scenario[]> = {
  'what anybody may ask': [
    { name: 'health', path: '/health', as: 'guest', status: 200, contains: ['"ok"'] },
    { name: 'ready', path: '/ready', as: 'guest', status: 200, contains: ['"ready"'] },
    { name: 'the root', path: '/', as: 'guest', status: 200, contains: ['/v1'] },
    { name: 'the other root', path: '/openai', as: 'guest', status: 200 },
    { name: 'HEAD of the root', method: 'HEAD', path: '/', as: 'guest', status: 200 },
    { name: 'HEAD of the other root', method: 'HEAD', path: '/openai', as: 'guest', status: 200 },
    { name: 'HEAD of the list', method: 'HEAD', path: '/v1/models', as: 'guest', status: 200 },
    { name: 'HEAD of one model', method: 'HEAD', path: '/v1/models/test/fake', as: 'guest', status: 200 },
    { name: 'HEAD of health', method: 'HEAD', path: '/health', as: 'guest', status: 200 },
    { name: 'HEAD of nothing', method: 'HEAD', path: '/nothing', as: 'guest', status: 404 },
    { name: 'the error page', path: '/docs/errors', as: 'guest', status: 200, contains: ['id="model_not_found"'] },
    { name: 'the model page', path: '/docs/models', as: 'guest', status: 200, contains: ['id="test/fake"'] },
    { name: 'the page on TLS', path: '/docs/tls', as: 'guest', status: 200, contains: ['--public-url'] },
    { name: 'the list', path: '/v1/models', as: 'guest', status: 200, contains: ['"object":"list"'] },
    { name: 'the list under the other prefix', path: '/openai/v1/models', as: 'guest', status: 200 },
    { name: 'the list with a garbage key', path: '/v1/models', as: 'unknown', status: 200 },
    { name: 'the list with a revoked key', path: '/v1/models', as: 'revoked', status: 200 },
    { name: 'the list with a slash and a query', path: '/v1/models/?limit=1000', as: 'guest', status: 200 },
    { name: 'one model, slash raw', path: '/v1/models/test/fake', as: 'guest', status: 200 },
    { name: 'one model, slash encoded', path: '/v1/models/test%2Ffake', as: 'guest', status: 200 },
    { name: 'one model with a slash behind', path: '/v1/models/test/fake/', as: 'guest', status: 200 },
    {
      name: 'an alias',
      path: '/openai/v1/models/fake',
      as: 'guest',
      status: 200,
      contains: ['"canonical":"test/fake"'],
    },
    {
      name: 'the list of a type that there is not',
      path: '/v1/models?type=zzz',
      as: 'guest',
      status: 400,
      code: 'invalid_value',
      param: 'type',
      contains: ["'type' must be one of chat, vision, embedding, rerank, tts, stt, image, moderation."],
    },
    { name: 'the list of no type', path: '/v1/models?type=', status: 400, code: 'invalid_value', param: 'type' },
    { name: 'no such model', path: '/v1/models/no/such', status: 404, code: 'model_not_found', param: 'model' },
    { name: 'a model of bad escapes', path: '/v1/models/%zz%ff', status: 404, code: 'model_not_found', param: 'model' },
  ],
  'what is not there': [
    {
      name: 'the prefix alone',
      path: '/v1',
      as: 'guest',
      status: 404,
      code: 'not_found',
      contains: ['There is nothing at /v1. Endpoints begin with /v1/, like /v1/models.'],
    },
    { name: 'unknown path', path: '/v3/chat', status: 404, code: 'not_found' },
    { name: 'unknown path, unknown method', method: 'BREW', path: '/coffee', status: 404, code: 'not_found' },
    { name: 'unknown path with a body', path: '/v1/embedding', body: {}, as: 'guest', status: 404, code: 'not_found' },
    {
      name: 'GET on chat',
      path: chat,
      as: 'guest',
      status: 405,
      code: 'method_not_allowed',
      expectHeaders: { allow: 'POST, OPTIONS' },
    },
    {
      name: 'PUT on one model',
      method: 'PUT',
      path: '/openai/v1/models/a/b',
      body: {},
      status: 405,
      code: 'method_not_allowed',
      expectHeaders: { allow: 'GET, HEAD, OPTIONS' },
    },
    {
      name: 'DELETE on chat with a slash',
      method: 'DELETE',
      path: `${chat}/`,
      status: 405,
      code: 'method_not_allowed',
    },
    { name: 'HEAD on chat', method: 'HEAD', path: chat, status: 405 },
  ],
  browsers: [
    {
      name: 'a preflight gets what it asks for',
      method: 'OPTIONS',
      path: chat,
      as: 'guest',
      headers: { 'access-control-request-headers': 'authorization, x-stainless-os' },
      status: 204,
      expectHeaders: {
        'access-control-allow-headers': 'authorization, x-stainless-os',
        'access-control-allow-methods': 'POST, OPTIONS',
      },
    },
    { name: 'a preflight of nothing', method: 'OPTIONS', path: '/nothing', as: 'guest', status: 204 },
  ],
  keys: [
    {
      name: 'none',
      path: chat,
      as: 'guest',
      body: hello,
      status: 401,
      code: 'missing_api_key',
      expectHeaders: { 'www-authenticate': 'Bearer' },
    },
    { name: 'an unknown one', path: chat, as: 'unknown', body: hello, status: 401, code: 'invalid_api_key' },
    { name: 'a revoked one', path: chat, as: 'revoked', body: hello, status: 401, code: 'key_revoked' },
    { name: 'an expired one', path: chat, as: 'expired', body: hello, status: 401, code: 'key_expired' },
    {
      name: 'another scheme',
      path: chat,
      as: 'guest',
      headers: { authorization: 'Basic dXNlcjpwYXNz' },
      body: hello,
      status: 401,
      code: 'missing_api_key',
    },
    {
      name: 'a scheme without key',
      path: chat,
      as: 'guest',
      headers: { authorization: 'Bearer   ' },
      body: hello,
      status: 401,
      code: 'missing_api_key',
    },
    {
      name: 'garbage',
      path: chat,
      as: 'guest',
      headers: { authorization: `Bearer ${'%00 é'.repeat(500)}` },
      body: hello,
      status: 401,
      code: 'invalid_api_key',
    },
    {
      name: 'checked before the body',
      path: chat,
      as: 'unknown',
      body: 'not json',
      status: 401,
      code: 'invalid_api_key',
    },
  ],
  bodies: [
    { name: 'not JSON', path: chat, body: '{"model":', status: 400, code: 'invalid_json' },
    { name: 'empty', path: chat, body: '', method: 'POST', status: 400, code: 'invalid_json' },
    {
      name: 'not UTF-8',
      path: chat,
      body: Buffer.from('{"model":"fake","messages":[{"role":"user","content":"\u00ff"}]}', 'latin1'),
      status: 400,
      code: 'invalid_json',
    },
    { name: 'nested too deep', path: chat, body: '['.repeat(500_000), status: 400, code: 'invalid_json' },
    { name: 'an array', path: chat, body: [], status: 400, code: 'invalid_value' },
    {
      name: 'a form',
      path: chat,
      body: JSON.stringify(hello),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      status: 400,
      code: 'invalid_json',
    },
    {
      name: 'JSON with a charset',
      path: chat,
      body: hello,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      status: 200,
    },
    ...['gzip', 'zstd', 'br', 'gzip, gzip', 'nonsense'].map((encoding) => ({
      name: `content-encoding ${encoding}`,
      path: chat,
      body: 'x',
      headers: { 'content-encoding': encoding },
      status: 415,
      code: 'unsupported_media_type',
      expectHeaders: { 'accept-encoding': 'identity' },
    })),
  ],
  'the order of checks': [
    {
      name: 'model before messages',
      path: chat,
      body: { messages: 5 },
      status: 400,
      code: 'missing_required_parameter',
      param: 'model',
    },
    {
      name: 'unknown model before messages',
      path: chat,
      body: { model: 'no/such', messages: 5 },
      status: 404,
      code: 'model_not_found',
      param: 'model',
    },
    {
      name: 'type before messages',
      path: chat,
      body: { model: 'test/embed', messages: 5 },
      status: 400,
      code: 'model_type_mismatch',
      param: 'model',
    },
    {
      name: 'messages before files',
      path: chat,
      body: { model: 'test/absent', messages: 5 },
      status: 400,
      code: 'invalid_value',
      param: 'messages',
    },
    {
      name: 'a model without files',
      path: chat,
      body: { model: 'test/absent', messages },
      status: 404,
      code: 'model_not_found',
      param: 'model',
      contains: ["Model 'test/absent' is in the catalog but not on this server", 'inferd pull test/absent'],
    },
    {
      name: 'a broken model',
      path: chat,
      body: { model: 'test/broken', messages },
      status: 503,
      code: 'model_unavailable',
      param: 'model',
      contains: ['model.gguf ends too early'],
    },
    {
      name: 'the same when streaming',
      path: chat,
      body: { model: 'test/broken', messages, stream: true },
      status: 503,
      code: 'model_unavailable',
      param: 'model',
    },
    {
      name: 'a long unknown model',
      path: chat,
      body: { model: 'x'.repeat(100_000), messages },
      status: 404,
      code: 'model_not_found',
      param: 'model',
    },
  ],
  'the messages dialect': [
    {
      name: 'GET',
      path: messagesPath,
      status: 405,
      code: 'method_not_allowed',
      expectHeaders: { allow: 'POST, OPTIONS' },
    },
    { name: 'a path below', path: `${messagesPath}/nothing`, status: 404, code: 'not_found' },
    { name: 'a path that only begins so', path: '/v1/messagesque', status: 404, code: 'not_found' },
    { name: 'no key', path: messagesPath, as: 'guest', body: question, status: 401, code: 'missing_api_key' },
    { name: 'a key in its own header', path: messagesPath, as: 'guest', headers: ownKey, body: question, status: 200 },
    {
      name: 'an answer',
      path: `${messagesPath}?beta=true`,
      body: question,
      status: 200,
      contains: ['"text":"Hello there"'],
    },
    {
      name: 'a stream under the other prefix',
      path: '/openai/v1/messages/',
      body: { ...question, stream: true },
      status: 200,
      contains: ['event: message_stop'],
      expectHeaders: { ...sse, 'x-accel-buffering': 'no', 'x-model-canonical': 'test/fake' },
    },
    {
      name: 'a count',
      path: `${messagesPath}/count_tokens`,
      body: question,
      status: 200,
      contains: ['"input_tokens":5'],
    },
    {
      name: 'a count by nobody',
      path: `${messagesPath}/count_tokens`,
      as: 'guest',
      body: question,
      status: 401,
      code: 'missing_api_key',
    },
    { name: 'GET of the count', path: `${messagesPath}/count_tokens`, status: 405, code: 'method_not_allowed' },
  ],
  'what the engine refuses': [
    {
      name: 'a context that is too long',
      path: chat,
      body: {
        model: 'test/fake',
        messages: script({
          error: { kind: 'invalid_request', code: 'context_length_exceeded', message: 'Too long.', param: 'messages' },
        }),
      },
      status: 400,
      code: 'context_length_exceeded',
      param: 'messages',
    },
    {
      name: 'a crash',
      path: chat,
      body: { model: 'test/fake', messages: script({ crash: 'exit' }) },
      status: 502,
      code: 'engine_failed',
    },
  ],
  answers: [
    {
      name: 'whole',
      path: chat,
      body: hello,
      status: 200,
      contains: ['"content":"Hello there"', '"object":"chat.completion"', '"logprobs":null'],
      expectHeaders: { 'x-model-canonical': 'test/fake', 'content-type': 'application/json;charset=utf-8' },
    },
    {
      name: 'under the other prefix, by alias',
      path: '/openai/v1/chat/completions?beta=true',
      body: { ...hello, model: 'fake' },
      status: 200,
      contains: ['"model":"fake"'],
      expectHeaders: { 'x-model-canonical': 'test/fake' },
    },
    {
      name: 'streamed',
      path: `${chat}/`,
      body: { ...hello, stream: true },
      status: 200,
      contains: ['"content":"Hello "', 'data: [DONE]\n\n'],
      expectHeaders: { ...sse, 'x-accel-buffering': 'no', 'x-model-canonical': 'test/fake' },
    },
    {
      name: 'with a last user message of more than 1 MB',
      path: chat,
      body: { model: 'test/fake', messages: [{ role: 'system', content: 'x'.repeat(3_000_000) }, ...messages] },
      status: 200,
      contains: ['Hello there'],
    },
    {
      name: 'with more tokens asked for than any context holds',
      path: chat,
      body: { ...hello, max_tokens: 64_000_000 },
      status: 200,
      contains: ['"finish_reason":"stop"'],
    },
    {
      name: 'cut at max_tokens',
      path: chat,
      body: { ...hello, max_completion_tokens: 1 },
      status: 200,
      contains: ['"content":"Hello "', '"finish_reason":"length"'],
    },
    {
      name: 'several',
      path: chat,
      body: { ...hello, n: 2 },
      status: 200,
      contains: ['"index":0', '"index":1', '"completion_tokens":4'],
    },
    {
      name: 'with thinking and a call without arguments',
      path: chat,
      body: { model: 'test/fake', messages: script({ reasoning: 'Hm' }, { tool: { name: 'now', arguments: [] } }) },
      status: 200,
      contains: ['"reasoning_content":"Hm"', '"content":null', '"arguments":"{}"'],
    },
  ],
}

for (const [group, rows] of Object.entries(scenarios)) {
  describe(group, () => {
    for (const row of rows) test(row.name, () => play(server, row))
  })
}

test('every code that is sent stands on the error page', () => {
  const codes = Object.values(scenarios).flatMap((rows) => rows.flatMap((row) => row.code ?? []))
  expect(codes.filter((code) => !(code in errorReference))).toEqual([])
})

test('the scheme may be in any case and be followed by several spaces', async () => {
  const answer = await server.post(chat, hello, { authorization: `bEARER   ${server.keys.valid}` })
  expect(answer.status).toBe(200)
})

test('the list puts what can be served first', async () => {
  const response = await fetch(`${server.url}/v1/models`)
  const { data } = (await response.json()) as { data: { id: string; status: string; docs: string }[] }
  expect(data.map((row) => [row.id, row.status])).toEqual([
    ['test/fake', 'ready'],
    ['fake', 'ready'],
    ['test/embed', 'ready'],
    ['test/absent', 'available'],
    ['test/broken', 'broken'],
  ])
  expect(data[0]?.docs).toBe(`${server.url}/docs/models#test/fake`)
})

test('the list is of one type when asked so, and of every type that it names', async () => {
  const idsOf = async (type: string) => {
    const response = await fetch(`${server.url}/v1/models?type=${type}`)
    return ((await response.json()) as { data: { id: string }[] }).data.map((row) => row.id)
  }
  expect(await idsOf('embedding')).toEqual(['test/embed'])
  for (const type of ['vision', 'rerank', 'tts', 'stt']) expect(await idsOf(type)).toEqual([])
})

test('a server without a model that can be served is up but not ready', async () => {
  await using empty = startTestServer({ models: { 'test/fake': { status: { kind: 'available' } } } })
  await play(empty, { name: '', path: '/health', status: 200 })
  await play(empty, { name: '', path: '/ready', status: 503, code: 'not_ready' })
})

test('links use the public address when the server has one', async () => {
  await using proxied = startTestServer({ config: { publicUrl: 'https://ai.example' } })
  const response = await fetch(`${proxied.url}/nothing`)
  expect(await response.text()).toContain('"docs_url":"https://ai.example/docs/errors#not_found"')
})

test('each request leaves one line, without prompt or key', async () => {
  const answer = await server.post(`${chat}?key=secret`, {
    model: 'fake',
    messages: [{ role: 'user', content: 'my prompt' }],
  })
  const requestId = answer.headers.get('x-request-id')
  const lines = server.lines.filter((line) => line.requestId === requestId)
  expect(lines).toEqual([
    expect.objectContaining({
      method: 'POST',
      path: chat,
      status: 200,
      accountId: server.accountId,
      model: 'test/fake',
      isStream: false,
      used: { ...nothingConsumed, promptTokens: 5, completionTokens: 2 },
      costNanoUsd: 0,
      finish: 'stop',
      code: undefined,
      cause: undefined,
    }),
  ])
  const text = JSON.stringify(server.lines)
  for (const secret of ['my prompt', 'secret', server.keys.valid, server.keys.unknown])
    expect(text).not.toContain(secret)
})

test('the lines of probes, pages and files of pages say that they are routine', async () => {
  const isRoutine = async (path: string, method = 'GET') => {
    const response = await fetch(server.url + path, { method })
    return server.lines.find((line) => line.requestId === response.headers.get('x-request-id'))?.isRoutine
  }
  expect(await isRoutine('/health')).toBe(true)
  expect(await isRoutine('/health/', 'HEAD')).toBe(true)
  expect(await isRoutine('/ready')).toBe(true)
  for (const path of ['/dashboard', '/admin/system', '/ui/nothing.js']) expect(await isRoutine(path)).toBe(true)
  expect(await isRoutine('/v1/models')).toBeUndefined()
})

test('our own faults keep their cause in the log, those of callers do not', async () => {
  const broken = await server.post(chat, { model: 'test/broken', messages })
  const wrong = await server.post(chat, { model: 'test/fake' })
  const lineOf = (response: Response) => {
    return server.lines.find((line) => line.requestId === response.headers.get('x-request-id'))
  }
  expect(lineOf(broken)).toMatchObject({ status: 503, code: 'model_unavailable', cause: expect.any(Error) })
  expect(lineOf(wrong)).toMatchObject({ status: 400, code: 'missing_required_parameter', cause: undefined })
})

describe('every path of the table', () => {
  const paths = [...new Set(routes.map(({ path }) => path))].map((pattern) => {
    const [first] = routes.filter(({ path }) => path === pattern)
    const isOwn = first !== undefined && first.access !== 'public' && first.access !== 'key'
    return { path: pattern.replace('*', 'x'), pattern, isOwn }
  })

  test.each(paths)('$path answers OPTIONS and refuses other methods with 405', async ({ path, pattern, isOwn }) => {
    const allowed = routes.filter((route) => route.path === pattern).map(({ method }) => method)
    const methods = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort()
    for (const method of ['OPTIONS', 'PUT']) {
      const { status, headers } = await fetch(server.url + path, { method })
      expect(status).toBe(method === 'PUT' ? 405 : 204)
      expect(headers.get('allow')?.split(', ').sort()).toEqual(expect.arrayContaining(methods))
      expect(headers.get('access-control-allow-origin')).toBe(isOwn ? null : '*')
      expect(headers.get('cache-control')).toBe(isOwn ? 'no-store' : null)
    }
  })

  // Metrics differ between two requests.
  const likeGet = paths.filter(({ path }) => path !== '/metrics')
  test.each(likeGet)('$path answers HEAD as it answers GET, without a body', async ({ path }) => {
    const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => fetch(server.url + path, { method })))
    expect(head?.status).toBe(get?.status ?? 0)
    // The text of an error names the method, so its length differs.
    for (const name of get?.ok ? ['content-type', 'content-length'] : ['content-type']) {
      expect(head?.headers.get(name)).toBe(get?.headers.get(name) ?? null)
    }
    expect(await head?.text()).toBe('')
  })
})
