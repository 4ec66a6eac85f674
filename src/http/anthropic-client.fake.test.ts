/** The stock client of the messages dialect against scripted engines: cases that only a script can produce. */
import { afterAll, describe, expect, test } from 'bun:test'
import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  ContentTooLargeError,
  InternalServerError,
  NotFoundError,
  OverloadedError,
} from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { startTestServer } from '../testing/test-server.ts'

const server = startTestServer({
  parallel: 8,
  config: { keepAliveMs: 10, bodyLimitBytes: 2_000_000 },
  models: { 'test/absent': { status: { kind: 'available' } } },
})
afterAll(() => server[Symbol.asyncDispose]())

const client = new Anthropic({ baseURL: server.url, apiKey: server.keys.valid, authToken: null, maxRetries: 0 })
const hello = { model: 'fake', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello there' }] }

function scripted(script: readonly unknown[], rest: object = {}) {
  const content = JSON.stringify({ script, ...rest })
  return { ...hello, messages: [{ role: 'user' as const, content }] }
}

async function failure(work: PromiseLike<unknown>): Promise<unknown> {
  return work.then(
    () => 'it succeeded',
    (error: unknown) => error,
  )
}

const busyScript = [
  { reasoning: 'Which ' },
  { reasoning: 'one?' },
  { text: 'Let me ' },
  { text: 'look 🙂' },
  { tool: { name: 'find', arguments: ['{"city"', ':"Oslo"}'] } },
  { tool: { name: 'now', arguments: [] } },
]

describe('answers', () => {
  test.each([false, true])(
    'the tool runner goes on without its thread and runs tools, streaming: %p',
    async (stream) => {
      const cities: unknown[] = []
      const runner = client.beta.messages.toolRunner({
        ...scripted([{ tool: { name: 'find', arguments: ['{"city"', ':"Oslo"}'] } }]),
        stream,
        max_iterations: 2,
        tools: [
          betaTool({
            name: 'find',
            description: 'Finds a city',
            inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
            run: ({ city }) => {
              cities.push(city)
              return 'Found.'
            },
          }),
        ],
      })
      expect((await runner.runUntilDone()).stop_reason).toBe('tool_use')
      expect(cities).toEqual(['Oslo', 'Oslo'])
    },
  )

  test('thinking, text and calls are the same whole and through the streaming helper, pings in between or not', async () => {
    const request = {
      ...scripted([...busyScript.slice(0, 3), { delayMs: 40 }, ...busyScript.slice(3)], { cachedTokens: 2 }),
      thinking: { type: 'enabled' as const, budget_tokens: 1024 },
    }
    const whole = await client.messages.create(request)
    expect(whole.content).toMatchObject([
      { type: 'thinking', thinking: 'Which one?' },
      { type: 'text', text: 'Let me look 🙂' },
      { type: 'tool_use', name: 'find', input: { city: 'Oslo' } },
      { type: 'tool_use', name: 'now', input: {} },
    ])
    expect(whole).toMatchObject({
      stop_reason: 'tool_use',
      usage: { input_tokens: 3, cache_read_input_tokens: 2, output_tokens: 6 },
    })
    expect(whole._request_id).toMatch(/^req_/)
    const events: string[] = []
    const stream = client.messages.stream(request).on('streamEvent', ({ type }) => events.push(type))
    const streamed = await stream.finalMessage()
    // Ids differ between answers, and `parsed_output` is added by the helper.
    const withoutIds = (message: Anthropic.Message) => ({
      ...message,
      id: '',
      parsed_output: undefined,
      content: message.content.map((block) => (block.type === 'tool_use' ? { ...block, id: '' } : block)),
    })
    expect(withoutIds(streamed)).toEqual(withoutIds(whole))
    expect(stream.request_id).toMatch(/^req_/)
    expect(events[0]).toBe('message_start')
    expect(events.at(-1)).toBe('message_stop')
    const calls = streamed.content.filter((block) => block.type === 'tool_use')
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    for (const { id } of calls) expect(id).toMatch(/^toolu_[0-9A-Za-z]{24}$/)
  })

  test('edge case 50: without thinking asked for there is none, streamed or not', async () => {
    const whole = await client.messages.create(scripted(busyScript))
    const streamed = await client.messages.stream(scripted(busyScript)).finalMessage()
    for (const { content } of [whole, streamed]) {
      expect(content.map(({ type }) => type)).toEqual(['text', 'tool_use', 'tool_use'])
    }
    const adaptive = await client.messages.create({ ...scripted(busyScript), thinking: { type: 'adaptive' } })
    expect(adaptive.content[0]?.type).toBe('thinking')
  })

  test('edge case 51: text before thinking is two blocks, in that order', async () => {
    const request = {
      ...scripted([{ text: 'Well. ' }, { reasoning: 'Hm' }, { text: 'Yes.' }]),
      thinking: { type: 'adaptive' as const },
    }
    const { content } = await client.messages.stream(request).finalMessage()
    expect(content).toMatchObject([
      { type: 'text', text: 'Well. ' },
      { type: 'thinking', thinking: 'Hm' },
      { type: 'text', text: 'Yes.' },
    ])
  })

  test('edge case 53: usage is there from the start, and cached tokens are counted once', async () => {
    const request = scripted([{ text: 'a' }], { promptTokens: 100, cachedTokens: 90 })
    const usages: Partial<Anthropic.Usage>[] = []
    for await (const event of await client.messages.create({ ...request, stream: true })) {
      if (event.type === 'message_start') usages.push(event.message.usage)
      if (event.type === 'message_delta') usages.push(event.usage as Partial<Anthropic.Usage>) // fields may be null there
    }
    const counts = { input_tokens: 10, cache_read_input_tokens: 90, cache_creation_input_tokens: 0 }
    expect(usages).toMatchObject([counts, { ...counts, output_tokens: 1 }])
  })

  test('edge case 61: a stop sequence is named', async () => {
    const request = scripted([{ text: 'a' }], { stopString: 'END' })
    const stop = { stop_reason: 'stop_sequence', stop_sequence: 'END' }
    expect(await client.messages.create(request)).toMatchObject(stop)
    expect(await client.messages.stream(request).finalMessage()).toMatchObject(stop)
  })

  test('the end of the context is told from max_tokens', async () => {
    const full = scripted([{ text: 'a' }], { finish: 'length', isContextFull: true })
    const cut = scripted([{ text: 'a' }], { finish: 'length' })
    expect((await client.messages.create(full)).stop_reason).toBe('model_context_window_exceeded')
    expect((await client.messages.stream(cut).finalMessage()).stop_reason).toBe('max_tokens')
  })

  test('edge case 62: max_tokens inside a call is said, and the helper survives it', async () => {
    const request = scripted([{ tool: { name: 'find', arguments: ['{"ci'] } }], { finish: 'length' })
    const expected = { stop_reason: 'max_tokens', content: [{ type: 'tool_use', name: 'find', input: {} }] }
    expect(await client.messages.create(request)).toMatchObject(expected)
    expect(await client.messages.stream(request).finalMessage()).toMatchObject(expected)
  })

  test('edge case 54: tokens are counted, through the beta too', async () => {
    const { max_tokens, ...request } = scripted([], { promptTokens: 4321 })
    expect(await client.messages.countTokens(request)).toMatchObject({ input_tokens: 4321 })
    expect(await client.beta.messages.countTokens(request)).toMatchObject({
      input_tokens: 4321,
      context_management: { original_input_tokens: 4321 },
    })
    expect(await client.beta.messages.create(hello)).toMatchObject({ content: [{ type: 'text', text: 'Hello there' }] })
  })

  test('edge case 64: a bearer token works as well', async () => {
    const bearer = new Anthropic({ baseURL: server.url, apiKey: null, authToken: server.keys.valid, maxRetries: 0 })
    expect(await bearer.messages.create(hello)).toMatchObject({ role: 'assistant' })
  })
})

describe('errors', () => {
  test('edge case 58: each status is the error that the client has for it, with type and request id', async () => {
    const absent = { ...hello, model: 'test/absent' }
    const cases = [
      [
        () => client.withOptions({ apiKey: 'wrong' }).messages.create(hello),
        AuthenticationError,
        401,
        'authentication_error',
      ],
      [() => client.messages.create({ ...hello, model: 'no/such' }), NotFoundError, 404, 'not_found_error'],
      [() => client.messages.create({ ...hello, max_tokens: 0 }), BadRequestError, 400, 'invalid_request_error'],
      [
        () => client.messages.stream({ ...hello, max_tokens: 0 }).finalMessage(),
        BadRequestError,
        400,
        'invalid_request_error',
      ],
      [
        () => client.messages.create({ ...hello, system: 'x'.repeat(2_000_000) }),
        ContentTooLargeError,
        413,
        'request_too_large',
      ],
      [() => client.messages.create(absent), NotFoundError, 404, 'not_found_error'],
      [() => client.messages.create(scripted([{ crash: 'exit' }])), InternalServerError, 502, 'api_error'],
      [() => client.messages.batches.list(), NotFoundError, 404, 'not_found_error'],
    ] as const
    for (const [work, type, status, name] of cases) {
      const error = await failure(work())
      expect(error).toBeInstanceOf(type)
      expect(error).toMatchObject({ status, type: name, requestID: expect.stringMatching(/^req_[0-9A-Za-z]{24}$/) })
      const { error: body, requestID } = error as APIError // just proven
      expect(body).toMatchObject({ type: 'error', request_id: requestID })
    }
  })

  test('an error in the middle of a stream is thrown with its type', async () => {
    const error = { kind: 'engine', code: 'engine_failed', message: 'The engine stopped.' }
    const stream = client.messages.stream(scripted([{ text: 'a' }, { error }]))
    let text = ''
    const thrown = await failure(
      stream
        .on('text', (piece) => {
          text += piece
        })
        .finalMessage(),
    )
    expect(text).toBe('a')
    expect(thrown).toBeInstanceOf(APIError)
    expect(thrown).toMatchObject({ type: 'api_error', apiMessage: 'The engine stopped.' })
  })

  /** Returns a client that counts its requests. `fixHeaders` shortens its waits between retries. */
  function impatient(fixHeaders: (headers: Headers) => void = (headers) => headers.set('retry-after-ms', '1')) {
    const seen: { requests: number; retryAfter: (string | null)[] } = { requests: 0, retryAfter: [] }
    const fetchOnce = async (url: string | URL | Request, init?: RequestInit) => {
      const response = await fetch(url, init)
      seen.requests++
      seen.retryAfter.push(response.headers.get('retry-after'))
      const headers = new Headers(response.headers)
      fixHeaders(headers)
      return new Response(response.body, { status: response.status, headers })
    }
    const options = { baseURL: server.url, apiKey: server.keys.valid, authToken: null, fetch: fetchOnce }
    return { seen, client: new Anthropic(options) }
  }

  test('what will pass is tried three times in all, after the time that it is told', async () => {
    const overload = { kind: 'unavailable', code: 'overloaded', message: 'Wait.', retryAfterSeconds: 5 }
    const { seen, client: patient } = impatient()
    const error = await failure(patient.messages.create(scripted([{ error: overload }])))
    expect(error).toBeInstanceOf(OverloadedError)
    expect(error).toMatchObject({ status: 529, type: 'overloaded_error' })
    expect(seen).toEqual({ requests: 3, retryAfter: ['5', '5', '5'] })
  })

  test('what will not pass is tried once', async () => {
    const { seen, client: patient } = impatient()
    expect(await failure(patient.messages.create({ ...hello, model: 'test/absent' }))).toBeInstanceOf(APIError)
    expect(seen.requests).toBe(1)
    expect(await failure(patient.messages.create({ ...hello, max_tokens: 0 }))).toBeInstanceOf(BadRequestError)
    expect(seen.requests).toBe(2)
  })
})

test('a client that stops reading frees its place in the engine', async () => {
  const stream = await client.messages.create({ ...scripted([{ text: 'a' }, { waitForCancel: true }]), stream: true })
  for await (const event of stream) if (event.type === 'content_block_delta') break
  expect(await server.line((line) => line.isAborted === true)).toMatchObject({ path: '/v1/messages', status: 200 })
  expect((await server.pool.stats('test/fake'))?.running).toBe(0)
})

test('the list of models is read as one page, each model with a name to show', async () => {
  const names: string[] = []
  for await (const model of client.models.list({ limit: 1000 })) names.push(model.display_name)
  expect(names).toEqual(['test/fake', 'fake', 'test/absent'])
  expect(await client.models.retrieve('fake')).toMatchObject({ id: 'fake', display_name: 'fake' })
})
