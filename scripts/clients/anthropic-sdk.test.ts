/** Tests every generation of the Anthropic SDK over real sockets, against scripted engines. */
import { afterAll, describe, expect, test } from 'bun:test'
import { startTestServer } from '../../src/testing/test-server.ts'
import { description, expectWholeConversation, failure, parameters, question, script, weather } from './weather.ts'

/** Names in package.json, with the first one that has each tested feature. */
const generations = [
  { name: 'anthropic-0.20', hasToolStreams: false, hasModels: false },
  { name: 'anthropic-0.32', hasToolStreams: true, hasModels: false },
  { name: 'anthropic-0.39', hasToolStreams: true, hasModels: true },
  { name: 'anthropic-0.56', hasToolStreams: true, hasModels: true },
  { name: '@anthropic-ai/sdk', hasToolStreams: true, hasModels: true },
]

const server = startTestServer({ parallel: 8, config: { keepAliveMs: 10 } })
afterAll(() => server[Symbol.asyncDispose]())

/** Old versions are called by the types of the current one. */
type AnthropicModule = typeof import('@anthropic-ai/sdk')
type Client = InstanceType<AnthropicModule['default']>

const loaded = await Promise.all(
  generations.map(async (generation) => {
    const sdk = (await import(generation.name)) as AnthropicModule
    const options = { baseURL: server.url, apiKey: server.keys.valid, maxRetries: 0 }
    return { ...generation, sdk, client: new sdk.default(options), options }
  }),
)

/** Returns the place of tools before version 0.21. */
function messagesWithTools(client: Client): Client['messages'] {
  const { beta } = client as unknown as { beta?: { tools?: Pick<Client, 'messages'> } }
  return beta?.tools?.messages ?? client.messages
}

const ask = (content: string) => ({ model: 'fake', max_tokens: 100, messages: [{ role: 'user' as const, content }] })
const tools = [{ name: 'weather', description, input_schema: parameters as { type: 'object' } }]
const textOf = (content: readonly { type: string }[]) =>
  content.map((block) => ('text' in block ? block.text : '')).join('')

describe.each(loaded)('$name', ({ sdk, client, options }) => {
  test('a whole answer has its text, its usage and why it ended', async () => {
    const { content, usage, stop_reason } = await client.messages.create(ask('Hello there 🙂'))
    expect(content).toMatchObject([{ type: 'text', text: 'Hello there 🙂' }])
    expect(usage).toMatchObject({ input_tokens: 5, output_tokens: 3 })
    expect(stop_reason).toBe('end_turn')
  })

  test('a stream has the same text, pings in between or not, raw and through the helper', async () => {
    const body = ask(script({ text: 'Hel' }, { delayMs: 40 }, { text: 'lo 🙂' }))
    let text = ''
    for await (const event of await client.messages.create({ ...body, stream: true }))
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text
    expect(text).toBe('Hello 🙂')
    const { content, stop_reason } = await client.messages.stream(body).finalMessage()
    expect(content).toMatchObject([{ type: 'text', text: 'Hello 🙂' }])
    expect(stop_reason).toBe('end_turn')
  })

  test('a tool is called and its result is answered', async () => {
    const { messages, ...body } = { ...ask(question), tools }
    const { content, stop_reason } = await messagesWithTools(client).create({ ...body, messages })
    expect(stop_reason).toBe('tool_use')
    const call = content.find((block) => block.type === 'tool_use')
    if (call === undefined) throw new Error('there was no call')
    const result = {
      type: 'tool_result' as const,
      tool_use_id: call.id,
      content: [{ type: 'text' as const, text: weather(call.input as { city: string }) }],
    }
    const second = await messagesWithTools(client).create({
      ...body,
      messages: [...messages, { role: 'assistant', content }, { role: 'user', content: [result] }],
    })
    expectWholeConversation(textOf(second.content))
  })

  test.each([
    ['NotFoundError', 'not_found_error', 'an unknown model', { ...ask('x'), model: 'no/such' }, 404],
    ['BadRequestError', 'invalid_request_error', 'a wrong field', { ...ask('x'), temperature: 9 }, 400],
    ['InternalServerError', 'api_error', 'a failure of the engine', ask(script(failure)), 502],
  ] as const)('%s with %s is thrown for %s', async (error, type, _, body, status) => {
    const thrown = await client.messages.create(body).catch((reason: unknown) => reason)
    expect(thrown).toBeInstanceOf(sdk.default[error])
    expect(thrown).toMatchObject({ status, error: { type: 'error', error: { type, message: expect.any(String) } } })
  })

  test('a wrong key is an AuthenticationError', async () => {
    const stranger = new sdk.default({ ...options, apiKey: server.keys.unknown })
    const thrown = await stranger.messages.create(ask('x')).catch((reason: unknown) => reason)
    expect(thrown).toBeInstanceOf(sdk.default.AuthenticationError)
  })

  test('an error in the middle of a stream is thrown after the text before it', async () => {
    const body = ask(script({ text: 'Half' }, failure))
    let text = ''
    const thrown = await (async () => {
      for await (const event of await client.messages.create({ ...body, stream: true }))
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text
    })().catch((reason: unknown) => reason)
    expect(text).toBe('Half')
    expect(thrown).toBeInstanceOf(sdk.default.APIError)
  })
})

describe.each(loaded.filter(({ hasToolStreams }) => hasToolStreams))('tools in streams of $name', ({ client }) => {
  test('the streaming helper puts the call together', async () => {
    const { content } = await client.messages.stream({ ...ask(question), tools }).finalMessage()
    expect(content).toMatchObject([
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', name: 'weather', input: { city: 'Oslo' } },
    ])
  })
})

describe.each(loaded.filter(({ hasModels }) => hasModels))('models of $name', ({ client }) => {
  test('all are listed, a page at a time', async () => {
    const models: unknown[] = []
    for await (const model of client.models.list({ limit: 1 })) models.push(model)
    const model = { type: 'model', display_name: expect.any(String), created_at: expect.stringMatching(/^\d{4}-.*Z$/) }
    expect(models).toMatchObject([
      { ...model, id: 'test/fake' },
      { ...model, id: 'fake' },
    ])
  })
})
