/** Tests every generation of the OpenAI SDK over real sockets, against scripted engines. */
import { afterAll, describe, expect, test } from 'bun:test'
import { startTestServer } from '../../src/testing/test-server.ts'
import { description, expectWholeConversation, failure, parameters, question, script, weather } from './weather.ts'

/** Names in package.json, with the first one that has each tested feature. */
const generations = [
  { name: 'openai-4.0' },
  { name: 'openai-4.28', hasHelpers: true },
  { name: 'openai-4.104', hasHelpers: true, hasResponses: true },
  { name: 'openai-5', hasHelpers: true, hasResponses: true },
  { name: 'openai-6', hasHelpers: true, hasResponses: true },
  { name: 'openai', hasHelpers: true, hasResponses: true },
]

const server = startTestServer({ parallel: 8, config: { keepAliveMs: 10 } })
afterAll(() => server[Symbol.asyncDispose]())

/** Old versions are called by the types of the current one. */
type OpenAiModule = typeof import('openai')
type Client = InstanceType<OpenAiModule['default']>

const loaded = await Promise.all(
  generations.map(async (generation) => {
    const sdk = (await import(generation.name)) as OpenAiModule
    const options = { baseURL: server.baseUrl, apiKey: server.keys.valid, maxRetries: 0 }
    return { hasHelpers: false, hasResponses: false, ...generation, sdk, client: new sdk.default(options), options }
  }),
)

const tools = [{ type: 'function' as const, function: { name: 'weather', description, parameters } }]
const ask = (content: string) => ({ model: 'fake', messages: [{ role: 'user' as const, content }] })

/** Returns the place of the helpers before version 5. */
function helpersOf(client: Client): Client['chat']['completions'] {
  const { beta } = client as unknown as { beta?: Pick<Client, 'chat'> }
  return beta?.chat?.completions ?? client.chat.completions
}

describe.each(loaded)('$name', ({ sdk, client, options }) => {
  test('a whole answer has its text, its usage and why it ended', async () => {
    const { choices, usage } = await client.chat.completions.create(ask('Hello there 🙂'))
    expect(choices[0]).toMatchObject({ message: { content: 'Hello there 🙂' }, finish_reason: 'stop' })
    expect(usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 })
  })

  test('a stream has the same text, comments in between or not', async () => {
    const body = ask(script({ text: 'Hel' }, { delayMs: 40 }, { text: 'lo 🙂' }))
    let text = ''
    for await (const { choices } of await client.chat.completions.create({ ...body, stream: true }))
      text += choices[0]?.delta.content ?? ''
    expect(text).toBe('Hello 🙂')
  })

  test('a tool is called and its result is answered', async () => {
    const { messages, ...body } = { ...ask(question), tools }
    const first = await client.chat.completions.create({ ...body, messages })
    expect(first.choices[0]?.finish_reason).toBe('tool_calls')
    const message = first.choices[0]?.message
    const call = message?.tool_calls?.[0]
    if (message === undefined || call?.type !== 'function') throw new Error('there was no call')
    const result = {
      role: 'tool' as const,
      tool_call_id: call.id,
      content: weather(JSON.parse(call.function.arguments)),
    }
    const second = await client.chat.completions.create({ ...body, messages: [...messages, message, result] })
    expectWholeConversation(second.choices[0]?.message.content ?? '')
  })

  test('a call is streamed piece by piece', async () => {
    const stream = await client.chat.completions.create({ ...ask(question), tools, stream: true })
    const choices = (await gather(stream)).flatMap((chunk) => chunk.choices)
    const calls = choices.flatMap(({ delta }) => delta.tool_calls ?? [])
    expect(calls.map((call) => call.function?.arguments)).toEqual(['', '{"city":', '"Oslo"}'])
    expect(calls[0]).toMatchObject({ index: 0, id: expect.any(String), function: { name: 'weather' } })
    expect(choices.at(-1)?.finish_reason).toBe('tool_calls')
  })

  test('a function is called in the way before tools, and its result is answered', async () => {
    const { messages, ...body } = { ...ask(question), functions: [{ name: 'weather', description, parameters }] }
    const { choices } = await client.chat.completions.create({ ...body, messages })
    expect(choices[0]?.finish_reason).toBe('function_call')
    const message = choices[0]?.message
    const call = message?.function_call
    if (message === undefined || !call) throw new Error('there was no call')
    expect(call).toEqual({ name: 'weather', arguments: '{"city":"Oslo"}' })
    const result = { role: 'function' as const, name: 'weather', content: weather(JSON.parse(call.arguments)) }
    const second = await client.chat.completions.create({ ...body, messages: [...messages, message, result] })
    expectWholeConversation(second.choices[0]?.message.content ?? '')
    const chunks = await gather(await client.chat.completions.create({ ...body, messages, stream: true }))
    const pieces = chunks.flatMap((chunk) => chunk.choices[0]?.delta.function_call ?? [])
    expect(pieces.map((piece) => piece.arguments).join('')).toBe(call.arguments)
    expect(pieces[0]?.name).toBe('weather')
  })

  test('a text is continued, whole and in a stream', async () => {
    const body = { model: 'fake', prompt: 'Once upon a time 🙂', max_tokens: 100 }
    const { choices, usage } = await client.completions.create(body)
    expect(choices).toMatchObject([{ text: 'Once upon a time 🙂', finish_reason: 'stop' }])
    expect(usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 })
    const chunks = await gather(await client.completions.create({ ...body, stream: true }))
    expect(chunks.map((chunk) => chunk.choices[0]?.text).join('')).toBe('Once upon a time 🙂')
  })

  test.each([
    ['NotFoundError', 'an unknown model', { ...ask('x'), model: 'no/such' }, 404],
    ['BadRequestError', 'a wrong field', { ...ask('x'), temperature: 9 }, 400],
    ['InternalServerError', 'a failure of the engine', ask(script(failure)), 502],
  ] as const)('%s is thrown for %s', async (error, _, body, status) => {
    const thrown = await client.chat.completions.create(body).catch((reason: unknown) => reason)
    expect(thrown).toBeInstanceOf(sdk.default[error])
    expect(thrown).toMatchObject({ status, code: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String) })
  })

  test('a wrong key is an AuthenticationError', async () => {
    const stranger = new sdk.default({ ...options, apiKey: server.keys.unknown })
    const thrown = await stranger.chat.completions.create(ask('x')).catch((reason: unknown) => reason)
    expect(thrown).toBeInstanceOf(sdk.default.AuthenticationError)
  })

  test('an error in the middle of a stream is thrown after the text before it', async () => {
    const stream = await client.chat.completions.create({
      ...ask(script({ text: 'Half' }, failure)),
      stream: true,
    })
    const texts: unknown[] = []
    const thrown = await (async () => {
      for await (const { choices } of stream) texts.push(choices[0]?.delta.content)
    })().catch((reason: unknown) => reason)
    expect(texts.join('')).toBe('Half')
    expect(thrown).toBeInstanceOf(Error)
  })

  test('models are listed', async () => {
    const ids: string[] = []
    for await (const { id } of await client.models.list()) ids.push(id)
    expect(ids).toContain('test/fake')
  })
})

describe.each(loaded.filter(({ hasHelpers }) => hasHelpers))('helpers of $name', ({ client }) => {
  test('the streaming helper puts text and calls together', async () => {
    const { choices } = await helpersOf(client)
      .stream({ ...ask(question), tools })
      .finalChatCompletion()
    expect(choices[0]?.message).toMatchObject({
      content: 'Looking.',
      tool_calls: [{ function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
    })
  })

  test('the tool runner runs the tool and ends with an answer, streamed or not', async () => {
    const run = { parse: JSON.parse, function: (input: unknown) => weather(input as { city: string }) }
    const runnable = { type: 'function' as const, function: { name: 'weather', description, parameters, ...run } }
    const body = { ...ask(question), tools: [runnable] }
    expectWholeConversation((await helpersOf(client).runTools(body).finalContent()) ?? '')
    const streamed = helpersOf(client).runTools({ ...body, stream: true })
    expectWholeConversation((await streamed.finalContent()) ?? '')
  })
})

describe.each(loaded.filter(({ hasResponses }) => hasResponses))('responses of $name', ({ client }) => {
  test('a whole and a streamed answer have the same text', async () => {
    const body = { model: 'fake', input: 'Hello there 🙂' }
    expect((await client.responses.create(body)).output_text).toBe('Hello there 🙂')
    const events = await gather(await client.responses.create({ ...body, stream: true }))
    expect(events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')).toBe(
      'Hello there 🙂',
    )
    expect(events.at(-1)?.type).toBe('response.completed')
  })

  test('a tool is called and its result is answered', async () => {
    const tool = { type: 'function' as const, name: 'weather', description, parameters, strict: false }
    const body = { model: 'fake', tools: [tool] }
    const input = [{ role: 'user' as const, content: question }]
    const { output } = await client.responses.create({ ...body, input })
    const [text, call] = output
    if (text?.type !== 'message' || call?.type !== 'function_call') throw new Error('there was no call')
    const result = {
      type: 'function_call_output' as const,
      call_id: call.call_id,
      output: weather(JSON.parse(call.arguments)),
    }
    const second = await client.responses.create({ ...body, input: [...input, text, call, result] })
    expectWholeConversation(second.output_text)
  })
})

async function gather<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of stream) items.push(item)
  return items
}
