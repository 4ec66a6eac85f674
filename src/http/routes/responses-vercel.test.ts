/** The Vercel AI SDK through its default provider, which speaks the responses dialect, against scripted engines. */
import { afterAll, expect, test } from 'bun:test'
import { createOpenAI } from '@ai-sdk/openai'
import {
  APICallError,
  generateObject,
  generateText,
  jsonSchema,
  type ModelMessage,
  Output,
  stepCountIs,
  streamText,
} from 'ai'
import { plainMessages } from '../../testing/plain-messages.ts'
import { startTestServer } from '../../testing/test-server.ts'
import { city, tools } from '../../testing/weather-tools.ts'

const server = startTestServer({ parallel: 8, config: { keepAliveMs: 10 } })
afterAll(() => server[Symbol.asyncDispose]())

// The SDK warns of deprecated features, some of which are tested here.
globalThis.AI_SDK_LOG_WARNINGS = false

/** Bodies of requests as sent, oldest first */
const sent: string[] = []
const openai = createOpenAI({
  baseURL: server.baseUrl,
  apiKey: server.keys.valid,
  fetch: Object.assign(
    (input: string | URL | Request, init?: RequestInit) => {
      sent.push(String(init?.body))
      return fetch(input, init)
    },
    { preconnect: fetch.preconnect },
  ),
})
const referencesIn = (body = '') => body.split('"item_reference"').length - 1
const settings = { model: openai('fake'), maxRetries: 0 }
const script = (...actions: unknown[]) => JSON.stringify({ script: actions })

test('text is generated, with its usage and why it ended', async () => {
  const { text, usage, finishReason } = await generateText({ ...settings, system: 'Be brief.', prompt: 'Hello there' })
  expect(text).toBe('Hello there')
  expect(finishReason).toBe('stop')
  expect(usage).toMatchObject({ inputTokens: 5, outputTokens: 2 })
})

test('thinking and text are streamed apart', async () => {
  const result = streamText({
    ...settings,
    prompt: script({ reasoning: 'Hm, ' }, { delayMs: 40 }, { reasoning: 'yes' }, { text: 'Ye' }, { text: 's.' }),
    providerOptions: { openai: { reasoningSummary: 'auto', reasoningEffort: 'low', forceReasoning: true } },
  })
  expect(await result.text).toBe('Yes.')
  expect(await result.reasoningText).toBe('Hm, yes')
  expect(await result.finishReason).toBe('stop')
})

const askForWeather = {
  ...settings,
  tools,
  prompt: script({ text: 'Looking.' }, { tool: { name: 'weather', arguments: ['{"city":', '"Oslo"}'] } }),
  stopWhen: stepCountIs(2),
}

test('edge case 37: a tool is called, run, and its result comes back to the model', async () => {
  const { steps } = await generateText({ ...askForWeather, providerOptions: { openai: { store: false } } })
  expect(steps).toHaveLength(2)
  expect(steps[0]?.toolCalls).toMatchObject([{ toolName: 'weather', input: { city: 'Oslo' } }])
  expect(steps[0]?.toolResults).toMatchObject([{ output: '12 degrees in Oslo' }])
  expect(steps[0]?.finishReason).toBe('tool-calls')
})

test('by default the second step refers to what the first one answered', async () => {
  const { steps } = await generateText(askForWeather)
  expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'tool-calls'])
  expect(referencesIn(sent.at(-1))).toBeGreaterThan(0)
})

test('a conversation by reference gives the engine the same messages as one that is sent', async () => {
  for (const isStreamed of [false, true]) {
    const byReference = await twoTurns(isStreamed, true)
    const whole = await twoTurns(isStreamed, false)
    expect([byReference.references > 0, whole.references]).toEqual([true, 0])
    expect(byReference.messages).toEqual(whole.messages)
  }
})

/**
 * Runs a turn with thinking, text and a call with its result, then one that asks which conversation the engine
 * received.
 */
async function twoTurns(isStreamed: boolean, store: boolean) {
  const providerOptions = {
    openai: { store, forceReasoning: true, reasoningSummary: 'auto', reasoningEffort: 'low' },
  } as const
  const actions = [
    { reasoning: 'Hm.' },
    { text: 'Looking.' },
    { tool: { name: 'weather', arguments: ['{"city":"Oslo"}'] } },
  ]
  const prompt = script(...actions)
  const first = { ...settings, tools, providerOptions, prompt, stopWhen: stepCountIs(1) }
  const { messages: answer } = await (isStreamed ? streamText(first) : await generateText(first)).response
  const history: ModelMessage[] = [{ role: 'user', content: prompt }, ...answer]
  const question: ModelMessage = { role: 'user', content: script({ echoRequest: true }) }
  const second = { ...settings, tools, providerOptions, messages: [...history, question] }
  const { text } = await generateText(second)
  // Ids of calls are random.
  return { references: referencesIn(sent.at(-1)), messages: JSON.parse(text.replace(/call_\w+/g, 'call')).messages }
}

test('an answer that was stopped in the middle can be referred to', async () => {
  const controller = new AbortController()
  const prompt = script({ text: 'One' }, { text: ' two' }, { waitForCancel: true })
  const result = streamText({ ...settings, prompt, abortSignal: controller.signal })
  let id: unknown
  for await (const part of result.fullStream) {
    if (part.type === 'text-start') id = part.providerMetadata?.openai?.itemId
    if (part.type === 'text-delta' && part.text.includes('two')) controller.abort()
  }
  await server.line((line) => line.isAborted === true)
  const answer = { type: 'text' as const, text: 'One two', providerOptions: { openai: { itemId: String(id) } } }
  const { text } = await generateText({
    ...settings,
    messages: [
      { role: 'user', content: 'Count.' },
      { role: 'assistant', content: [answer] },
      { role: 'user', content: script({ echoRequest: true }) },
    ],
  })
  expect(plainMessages(JSON.parse(text).messages)[1]).toMatchObject({ role: 'assistant', content: 'One two' })
})

test('items of other accounts and items that were not to be stored are refused, and the client is told what to do', async () => {
  const [known, unknown] = [await answerItem(), await answerItem({ store: false })]
  const refer = ({ id }: { id: string }, headers = {}) => {
    const input = [
      { type: 'item_reference', id },
      { role: 'user', content: 'And?' },
    ]
    return server.post('/v1/responses', { model: 'fake', input }, headers)
  }
  expect((await refer(known)).status).toBe(200)
  const stranger = { authorization: `Bearer ${server.payer(1_000_000_000).key}` }
  for (const refused of [await refer(known, stranger), await refer(unknown)]) {
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      error: { code: 'invalid_value', param: 'input[0]', message: expect.stringContaining('store: false') },
    })
  }
})

test('a request with references can be counted', async () => {
  const { id } = await answerItem()
  const input = [{ id }, { role: 'user', content: 'And?' }]
  expect((await server.post('/v1/responses/input_tokens', { model: 'fake', input })).status).toBe(200)
})

/** Returns the first item of a plain answer. */
async function answerItem(fields: object = {}): Promise<{ id: string }> {
  const response = await server.post('/v1/responses', { model: 'fake', input: 'Hello', ...fields })
  const { output }: { output: [{ id: string }] } = JSON.parse(await response.text())
  return output[0]
}

test('a tool is called in a stream, its input piece by piece', async () => {
  const result = streamText({
    ...settings,
    tools,
    prompt: script({ tool: { name: 'weather', arguments: ['{"city":', '"Oslo"}'] } }),
    stopWhen: stepCountIs(1),
  })
  const parts = await Array.fromAsync(result.fullStream)
  const deltas = parts.flatMap((part) => (part.type === 'tool-input-delta' ? part.delta : []))
  expect(deltas).toEqual(['{"city":', '"Oslo"}'])
  expect(await result.toolResults).toMatchObject([{ output: '12 degrees in Oslo' }])
})

test('an object is generated to its schema, in either way', async () => {
  const prompt = script({ text: '{"city":' }, { text: '"Oslo"}' })
  expect((await generateObject({ ...settings, schema: city, prompt })).object).toEqual({ city: 'Oslo' })
  const { output } = await generateText({ ...settings, output: Output.object({ schema: city }), prompt })
  expect(output).toEqual({ city: 'Oslo' })
})

test('the schema reaches the engine', async () => {
  const { text } = await generateText({
    ...settings,
    output: Output.object({ schema: jsonSchema({ type: 'object' }) }),
    prompt: script({ echoRequest: true }),
  })
  expect(JSON.parse(text).answerSchema).toMatchObject({ type: 'object' })
})

test('an answer that a limit cuts ends with length', async () => {
  const { text, finishReason } = await generateText({ ...settings, prompt: 'one two three', maxOutputTokens: 2 })
  expect([text, finishReason]).toEqual(['one two ', 'length'])
})

test('a refusal is an APICallError with its status and message', async () => {
  const failure = await generateText({ ...settings, model: openai('no/such'), prompt: 'x' }).catch((error) => error)
  expect(APICallError.isInstance(failure)).toBe(true)
  expect(failure).toMatchObject({ statusCode: 404, message: expect.stringContaining('no/such') })
})

test('an engine that dies in the middle is an error in the stream', async () => {
  const errors: unknown[] = []
  const result = streamText({
    ...settings,
    prompt: script({ text: 'Half' }, { crash: 'exit' }),
    onError: ({ error }) => {
      errors.push(error)
    },
  })
  const parts = await Array.fromAsync(result.fullStream)
  expect(parts.some((part) => part.type === 'text-delta' && part.text === 'Half')).toBe(true)
  expect(errors).toHaveLength(1)
})
