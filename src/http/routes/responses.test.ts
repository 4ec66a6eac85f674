/** POST /responses and the paths below it, over a real port and the fake engine. */
import { afterAll, describe, expect, test } from 'bun:test'
import { openRaw } from '../../testing/raw-connection.ts'
import { play, type Scenario } from '../../testing/scenario.ts'
import { startTestServer } from '../../testing/test-server.ts'
import { errorReference } from '../error-reference.ts'

const server = startTestServer({
  engine: { contextTokens: 16_384 },
  parallel: 8,
  config: { keepAliveMs: 20 },
  models: {
    'test/embed': { manifest: { type: 'embedding' } },
    'test/off': {
      manifest: {
        aliases: [
          { id: 'legacy-off', reasoning: 'off' },
          { id: 'legacy-on', reasoning: 'on' },
        ],
      },
    },
  },
})
afterAll(() => server[Symbol.asyncDispose]())

const path = '/v1/responses'
const hello = { model: 'fake', input: 'Hello there' }
const sse = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }
const find = { type: 'function', name: 'find', parameters: {} }

function scripted(...actions: unknown[]) {
  return { model: 'fake', input: JSON.stringify({ script: actions }) }
}

const scenarios: Record<string, readonly Scenario[]> = {
  answers: [
    { name: 'whole', path, body: hello, status: 200, contains: ['"text":"Hello there"', '"status":"completed"'] },
    { name: 'with a slash behind', path: `${path}/`, body: hello, status: 200 },
    {
      name: 'edge case 77: under the other prefix',
      path: '/openai/v1/responses',
      body: hello,
      status: 200,
      expectHeaders: { 'x-model-canonical': 'test/fake' },
    },
    {
      name: 'streamed',
      path,
      body: { ...hello, stream: true },
      status: 200,
      expectHeaders: sse,
      contains: ['event: response.created\n', 'event: response.completed\n'],
    },
    {
      name: 'edge case 11: a limit beyond the context is none',
      path,
      body: { ...hello, max_output_tokens: 1_000_000_000 },
      status: 200,
      contains: ['"max_output_tokens":1000000000', '"status":"completed"'],
    },
    {
      name: 'edge case 78: a body of more than 1 MB',
      path,
      body: { ...hello, instructions: 'x'.repeat(2_000_000) },
      status: 200,
    },
    {
      name: 'a limit that cuts',
      path,
      body: { ...hello, max_output_tokens: 1 },
      status: 200,
      contains: ['"status":"incomplete"', '"incomplete_details":{"reason":"max_output_tokens"}', '"text":"Hello "'],
    },
    {
      name: 'edge case 39: store is ignored and said to be off',
      path,
      body: { ...hello, store: true },
      status: 200,
      contains: ['"store":false'],
    },
  ],
  'what is counted': [
    {
      name: 'tokens of the input',
      path: `${path}/input_tokens`,
      body: { model: 'fake', input: '{"script":[],"promptTokens":17}', tools: [find] },
      status: 200,
      contains: ['{"object":"response.input_tokens","input_tokens":17}'],
      expectHeaders: { 'x-model-canonical': 'test/fake' },
    },
    {
      name: 'without key',
      path: `${path}/input_tokens`,
      body: hello,
      as: 'guest',
      status: 401,
      code: 'missing_api_key',
    },
    {
      name: 'of another type of model',
      path: `${path}/input_tokens`,
      body: { ...hello, model: 'test/embed' },
      status: 400,
      code: 'model_type_mismatch',
      param: 'model',
    },
    {
      name: 'of nothing',
      path: `${path}/input_tokens`,
      body: { model: 'fake' },
      status: 400,
      code: 'missing_required_parameter',
      param: 'input',
    },
  ],
  'what is refused': [
    { name: 'no key', path, body: hello, as: 'guest', status: 401, code: 'missing_api_key' },
    { name: 'a wrong key', path, body: hello, as: 'unknown', status: 401, code: 'invalid_api_key' },
    { name: 'no JSON', path, body: '{"model":', status: 400, code: 'invalid_json' },
    { name: 'no object', path, body: [], status: 400, code: 'invalid_value' },
    { name: 'no model', path, body: { input: 'x' }, status: 400, code: 'missing_required_parameter', param: 'model' },
    {
      name: 'a model that there is not, before other fields',
      path,
      body: { model: 'no/such', input: 5 },
      status: 404,
      code: 'model_not_found',
      param: 'model',
    },
    {
      name: 'a model of another type',
      path,
      body: { model: 'test/embed', input: 'x' },
      status: 400,
      code: 'model_type_mismatch',
      param: 'model',
    },
    {
      name: 'a wrong field of a stream, as a status',
      path,
      body: { ...hello, stream: true, temperature: 3 },
      status: 400,
      code: 'invalid_value',
      param: 'temperature',
    },
    {
      name: 'an image, by its place',
      path,
      body: { model: 'fake', input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:' }] }] },
      status: 400,
      code: 'unsupported_content',
      param: 'input[0].content[0]',
    },
    {
      name: 'two tools of one name',
      path,
      body: { ...hello, tools: [find, find] },
      status: 400,
      code: 'tool_name_conflict',
      param: 'tools[1].name',
    },
    {
      name: 'an earlier response',
      path,
      body: { ...hello, previous_response_id: 'resp_1' },
      status: 400,
      code: 'unsupported_parameter',
      param: 'previous_response_id',
    },
    {
      name: 'edge case 41: a conversation beyond the context, as a status',
      path,
      body: {
        ...scripted({
          error: { kind: 'invalid_request', code: 'context_length_exceeded', message: 'Too long.', param: 'messages' },
        }),
      },
      status: 400,
      code: 'context_length_exceeded',
      param: 'input',
    },
    { name: 'an engine that dies', path, body: scripted({ crash: 'exit' }), status: 502, code: 'engine_failed' },
  ],
  'what needs a stored response': [
    { name: 'reading one', path: `${path}/resp_1`, status: 404, code: 'not_supported' },
    { name: 'reading its input', path: `${path}/resp_1/input_items`, status: 404, code: 'not_supported' },
    { name: 'deleting one', method: 'DELETE', path: `${path}/resp_1`, status: 404, code: 'not_supported' },
    { name: 'cancelling one', path: `${path}/resp_1/cancel`, body: {}, status: 404, code: 'not_supported' },
    { name: 'compacting', path: `${path}/compact`, body: {}, status: 404, code: 'not_supported' },
    {
      name: 'a list of them',
      path,
      status: 405,
      code: 'method_not_allowed',
      expectHeaders: { allow: 'POST, OPTIONS' },
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
  expect([...codes, 'upgrade_required', 'invalid_schema'].filter((code) => !(code in errorReference))).toEqual([])
})

describe('edge case 40: a web socket', () => {
  test.each(['/v1/responses', '/openai/v1/responses'])('%s asks for POST instead', async (target) => {
    const connection = await openRaw(server.url)
    connection.socket.write(
      `GET ${target} HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: Upgrade\r\n` +
        'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    const answer = await connection.until('}}')
    expect(answer).toStartWith('HTTP/1.1 426 ')
    expect(answer.toLowerCase()).toContain('\r\nupgrade: http/1.1\r\n')
    expect(answer).toContain('"code":"upgrade_required"')
    connection.socket.destroy()
  })
})

/** Returns the names of a stream's events. */
async function eventsOf(response: Response): Promise<string[]> {
  return [...(await response.text()).matchAll(/^event: (.*)$/gm)].map(([, name]) => name ?? '')
}

test('edge case 33: an engine that dies in the middle ends the stream with response.failed', async () => {
  const body = { ...scripted({ text: 'a' }, { crash: 'abort' }), stream: true }
  const response = await server.post(path, body)
  const text = await response.clone().text()
  expect(response.status).toBe(200)
  expect(await eventsOf(response)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.failed',
  ])
  expect(text).toContain('"error":{"code":"server_error"')
  expect(text).not.toContain('[DONE]')
})

test('edge case 41: a context that turns out too short in the middle is told by its code', async () => {
  const error = { kind: 'invalid_request', code: 'context_length_exceeded', message: 'Too long.' }
  const response = await server.post(path, { ...scripted({ text: 'a' }, { error }), stream: true })
  expect(await response.text()).toContain('"error":{"code":"context_length_exceeded","message":"Too long."}')
})

describe('edge case 20: both legacy names', () => {
  const cases = [
    ['legacy-off', undefined, 'off'],
    ['legacy-off', { effort: 'none' }, 'off'],
    ['legacy-off', { effort: 'low' }, 'on'],
    ['legacy-off', { enabled: true }, 'on'],
    ['legacy-off', { enabled: false }, 'off'],
    ['legacy-on', undefined, 'on'],
    ['legacy-on', { effort: 'none' }, 'off'],
    ['legacy-on', { effort: 'low' }, 'on'],
    ['legacy-on', { enabled: true }, 'on'],
    ['legacy-on', { enabled: false }, 'off'],
  ] as const
  test.each(cases)('%s with reasoning %j', async (model, reasoning, mode) => {
    const input = JSON.stringify({ script: [{ echoRequest: true }] })
    const response = await server.post(path, { model, input, reasoning })
    const body = (await response.json()) as { output: [{ content: [{ text: string }] }] } // our own answer
    expect(JSON.parse(body.output[0].content[0].text).reasoning.mode).toBe(mode)
  })
})
