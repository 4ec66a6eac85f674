/** /messages over the wire, against scripted engines. */
import { afterAll, describe, expect, test } from 'bun:test'
import { play, type Scenario } from '../testing/scenario.ts'
import { startTestServer } from '../testing/test-server.ts'

const server = startTestServer({
  parallel: 8,
  config: { keepAliveMs: 20 },
  models: {
    'test/embed': { manifest: { type: 'embedding' } },
    'test/absent': { manifest: { engine: 'llama' }, status: { kind: 'available' } },
  },
})
afterAll(() => server[Symbol.asyncDispose]())

const path = '/v1/messages'
const count = `${path}/count_tokens`
const hello = { model: 'fake', max_tokens: 100, messages: [{ role: 'user', content: 'Hello there' }] }
const key = { 'x-api-key': server.keys.valid }
const wrongKey = { 'x-api-key': server.keys.unknown }

function scripted(script: readonly unknown[], rest: object = {}, body: object = {}) {
  const content = JSON.stringify({ script, ...rest })
  return { model: 'fake', max_tokens: 100, messages: [{ role: 'user', content }], ...body }
}

function failing(kind: string, code: string, rest: object = {}) {
  return scripted([{ error: { kind, code, message: 'No.', ...rest } }])
}

const scenarios: Record<string, readonly Scenario[]> = {
  'edge case 58: errors have the shape of this dialect': [
    {
      name: 'no key',
      path,
      as: 'guest',
      body: hello,
      status: 401,
      code: 'missing_api_key',
      errorType: 'authentication_error',
    },
    {
      name: 'a wrong key',
      path,
      as: 'unknown',
      body: hello,
      status: 401,
      code: 'invalid_api_key',
      errorType: 'authentication_error',
    },
    { name: 'a wrong key for counting', path: count, as: 'revoked', body: hello, status: 401, code: 'key_revoked' },
    {
      name: 'GET',
      path,
      status: 405,
      code: 'method_not_allowed',
      errorType: 'invalid_request_error',
      expectHeaders: { allow: 'POST, OPTIONS' },
    },
    { name: 'GET of the count', path: count, as: 'guest', status: 405, code: 'method_not_allowed' },
    { name: 'DELETE', method: 'DELETE', path, status: 405, code: 'method_not_allowed' },
    {
      name: 'a path of batches, which are not run',
      path: `${path}/batches`,
      body: {},
      status: 404,
      code: 'not_supported',
      errorType: 'not_found_error',
    },
    { name: 'a path below, by GET', path: `${path}/msg_1`, status: 404, code: 'not_found' },
    { name: 'no JSON', path, body: '{"model":', status: 400, code: 'invalid_json', errorType: 'invalid_request_error' },
    { name: 'no JSON to count', path: count, body: 'x', status: 400, code: 'invalid_json' },
    { name: 'an empty body', method: 'POST', path, body: '', status: 400, code: 'invalid_json' },
    { name: 'an array', path, body: [], status: 400, code: 'invalid_value' },
    {
      name: 'a form',
      path,
      body: JSON.stringify(hello),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      status: 400,
      code: 'invalid_json',
    },
    {
      name: 'an encoding that nobody knows',
      path,
      body: 'x',
      headers: { 'content-encoding': 'zstd' },
      status: 415,
      code: 'unsupported_media_type',
      errorType: 'invalid_request_error',
    },
    {
      name: 'a body that is too large',
      path,
      body: new Uint8Array(65 * 1024 * 1024),
      status: 413,
      code: 'payload_too_large',
      errorType: 'request_too_large',
    },
    {
      name: 'an unknown model',
      path,
      body: { ...hello, model: 'claude-opus-4-8' },
      status: 404,
      code: 'model_not_found',
      param: 'model',
      errorType: 'not_found_error',
      contains: ['"message":"model: claude-opus-4-8"'],
    },
    {
      name: 'an unknown model to count for',
      path: count,
      body: { ...hello, model: 'a/b' },
      status: 404,
      code: 'model_not_found',
      param: 'model',
    },
    {
      name: 'a model that cannot chat',
      path,
      body: { ...hello, model: 'test/embed' },
      status: 400,
      code: 'model_type_mismatch',
      param: 'model',
      contains: ["is of type 'embedding'; messages needs one of type chat or vision"],
    },
    {
      name: 'a missing field',
      path,
      body: { ...hello, max_tokens: null },
      status: 400,
      code: 'missing_required_parameter',
      param: 'max_tokens',
    },
    {
      name: 'a model without files',
      path,
      body: { ...hello, model: 'test/absent', stream: true },
      status: 404,
      code: 'model_not_found',
      param: 'model',
      errorType: 'not_found_error',
      contains: ['inferd pull test/absent'],
    },
    {
      name: 'a full queue',
      path,
      body: failing('unavailable', 'overloaded', { retryAfterSeconds: 5 }),
      status: 529,
      code: 'overloaded',
      errorType: 'overloaded_error',
      expectHeaders: { 'retry-after': '5' },
    },
    {
      name: 'a crash',
      path,
      body: scripted([{ crash: 'exit' }]),
      status: 502,
      code: 'engine_failed',
      errorType: 'api_error',
    },
    {
      name: 'a bug',
      path,
      body: failing('internal', 'internal_error'),
      status: 500,
      code: 'internal_error',
      errorType: 'api_error',
    },
  ],
  'edge case 77: the other prefix has the same routes and errors': [
    { name: 'an answer', path: '/openai/v1/messages', body: hello, status: 200, contains: ['"type":"message"'] },
    {
      name: 'a count',
      path: '/openai/v1/messages/count_tokens',
      body: hello,
      status: 200,
      contains: ['"input_tokens"'],
    },
    { name: 'no key', path: '/openai/v1/messages', as: 'guest', body: hello, status: 401, code: 'missing_api_key' },
    { name: 'nothing there', path: '/openai/v1/messages/x', status: 404, code: 'not_found' },
    { name: 'a wrong method', path: '/openai/v1/messages', status: 405, code: 'method_not_allowed' },
    { name: 'x-api-key', path: '/openai/v1/messages', as: 'guest', headers: key, body: hello, status: 200 },
  ],
  'edge case 64: keys': [
    { name: 'x-api-key alone', path, as: 'guest', headers: key, body: hello, status: 200 },
    { name: 'x-api-key for counting', path: count, as: 'guest', headers: key, body: hello, status: 200 },
    { name: 'a wrong x-api-key and a valid bearer key', path, headers: wrongKey, body: hello, status: 200 },
    { name: 'a valid x-api-key and a wrong bearer key', path, as: 'unknown', headers: key, body: hello, status: 200 },
    {
      name: '"Bearer " in x-api-key',
      path,
      as: 'guest',
      headers: { 'x-api-key': `Bearer ${server.keys.valid}` },
      body: hello,
      status: 200,
    },
    {
      name: 'other endpoints take no x-api-key',
      path: '/v1/chat/completions',
      as: 'guest',
      headers: key,
      body: { ...hello, model: 'fake' },
      status: 401,
      code: 'missing_api_key',
    },
  ],
  'edge case 63: probes and queries': [
    { name: 'HEAD of the root', method: 'HEAD', path: '/', as: 'guest', status: 200 },
    { name: 'HEAD of the other root', method: 'HEAD', path: '/openai', as: 'guest', status: 200 },
    { name: 'a query', path: `${path}?beta=true`, body: hello, status: 200 },
    { name: 'a slash and a query', path: `${path}/?beta=true`, body: hello, status: 200 },
    {
      name: 'headers of the vendor, of any version or none',
      path,
      body: hello,
      headers: { 'anthropic-version': '1999-01-01', 'anthropic-beta': 'a-2025-01-01,b', 'x-app': 'cli' },
      status: 200,
    },
    {
      name: 'a preflight',
      method: 'OPTIONS',
      path,
      as: 'guest',
      status: 204,
      expectHeaders: {
        'access-control-allow-headers':
          'authorization, content-type, x-api-key, anthropic-version, anthropic-beta, anthropic-dangerous-direct-browser-access',
      },
    },
  ],
  'edge case 54: counting tokens': [
    {
      name: 'with the query of desktop clients',
      path: `${count}?beta=true`,
      body: { ...scripted([], { promptTokens: 1234 }), max_tokens: undefined },
      status: 200,
      contains: ['{"input_tokens":1234,"context_management":{"original_input_tokens":1234}}'],
      expectHeaders: { 'x-model-canonical': 'test/fake' },
    },
    {
      name: 'with tools and images in their results',
      path: count,
      body: {
        model: 'fake',
        system: 'Be brief.',
        tools: [{ name: 'read', input_schema: { type: 'object' } }],
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }] },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'image', source: {} }] }],
          },
        ],
      },
      status: 200,
    },
    {
      name: 'without messages',
      path: count,
      body: { model: 'fake' },
      status: 400,
      code: 'missing_required_parameter',
      param: 'messages',
    },
  ],
  'edge case 78: large bodies': [
    {
      name: 'an image of 3 MB in a tool result',
      path,
      body: {
        ...hello,
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }] },
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 'toolu_1',
                content: [
                  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(3_000_000) } },
                ],
              },
              { type: 'text', text: 'Seen?' },
            ],
          },
        ],
      },
      status: 200,
      contains: ['Seen?'],
    },
  ],
}

for (const [group, rows] of Object.entries(scenarios)) {
  describe(group, () => {
    for (const row of rows) test(row.name, () => play(server, row))
  })
}

test('edge case 59: a prompt that is too long is told in numbers, as agents read them', async () => {
  const length = { promptTokens: 210_000, limitTokens: 200_000 }
  const body = failing('invalid_request', 'context_length_exceeded', { param: 'messages', length })
  const answer = await server.post(path, body)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({
    error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
  })
})

test('edge case 60: an error in the middle of a stream ends it, and the same request works whole', async () => {
  const error = { kind: 'engine', code: 'engine_failed', message: 'The engine stopped.' }
  const streamed = await server.post(path, scripted([{ text: 'Hal' }, { error }], {}, { stream: true }))
  const text = await streamed.text()
  expect(streamed.status).toBe(200)
  expect(text).toContain('"text":"Hal"')
  const [name, data] = text.trimEnd().split('\n\n').at(-1)?.split('\n') ?? []
  expect(name).toBe('event: error')
  expect(JSON.parse(data?.slice('data: '.length) ?? '')).toEqual({
    type: 'error',
    error: {
      type: 'api_error',
      message: 'The engine stopped.',
      code: 'engine_failed',
      param: null,
      docs_url: `${server.url}/docs/errors#engine_failed`,
    },
    request_id: streamed.headers.get('request-id'),
  })
  expect(text).not.toContain('message_stop')
  expect(text).not.toContain('[DONE]')
  const again = await server.post(path, scripted([{ text: 'Hallo' }]))
  expect(await again.json()).toMatchObject({ content: [{ type: 'text', text: 'Hallo' }], stop_reason: 'end_turn' })
})

test('a silent stream is kept alive by pings, which come after its start', async () => {
  const answer = await server.post(
    path,
    scripted([{ text: 'a' }, { delayMs: 60 }, { text: 'b' }], {}, { stream: true }),
  )
  const text = await answer.text()
  expect(text.indexOf('message_start')).toBeLessThan(text.indexOf('event: ping'))
  expect(text.lastIndexOf('event: ping')).toBeGreaterThan(text.indexOf('"text":"a"'))
  expect(text).toEndWith('event: message_stop\ndata: {"type":"message_stop"}\n\n')
})

test('an answer is told by the id that was asked for; the header has the canonical one', async () => {
  const answer = await server.post(path, hello)
  expect(answer.headers.get('x-model-canonical')).toBe('test/fake')
  expect(await answer.json()).toMatchObject({ model: 'fake', content: [{ text: 'Hello there' }] })
})

test('counting leaves a line with the model and the caller, and no usage', async () => {
  const answer = await server.post(count, hello)
  const requestId = answer.headers.get('request-id') ?? ''
  expect(await server.line((line) => line.requestId === requestId)).toMatchObject({
    path: count,
    status: 200,
    model: 'test/fake',
    accountId: server.accountId,
    used: undefined,
  })
})
