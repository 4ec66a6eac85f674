/** The Vercel AI SDK through its default provider, which speaks the responses dialect, against scripted engines. */
import { afterAll, expect, test } from 'bun:test'
import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateObject, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai'
import { startTestServer } from '../../testing/test-server.ts'

const server = startTestServer({ parallel: 8, config: { keepAliveMs: 10 } })
afterAll(() => server[Symbol.asyncDispose]())

// The SDK warns of what is deprecated, which is tested here all the same.
globalThis.AI_SDK_LOG_WARNINGS = false

const openai = createOpenAI({ baseURL: server.baseUrl, apiKey: server.keys.valid })
const settings = { model: openai('fake'), maxRetries: 0 }
const script = (...actions: unknown[]) => JSON.stringify({ script: actions })
const city = jsonSchema<{ city: string }>({
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
})

const tools = {
  weather: tool({
    description: 'Tells the weather.',
    inputSchema: city,
    execute: async ({ city }) => `12 degrees in ${city}`,
  }),
}

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

test('a client that counts on stored items is told how to send them', async () => {
  expect(await generateText(askForWeather).catch((error) => error)).toMatchObject({
    statusCode: 400,
    message: expect.stringContaining('store: false'),
  })
})

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
