/** The Vercel AI SDK through its provider for the messages dialect, against scripted engines. */
import { afterAll, expect, test } from 'bun:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { APICallError, generateText, Output, stepCountIs, streamText } from 'ai'
import { startTestServer } from '../testing/test-server.ts'
import { city, tools } from '../testing/weather-tools.ts'

const server = startTestServer({ parallel: 8 })
afterAll(() => server[Symbol.asyncDispose]())

const anthropic = createAnthropic({ baseURL: server.baseUrl, apiKey: server.keys.valid })
const settings = { model: anthropic('fake'), maxOutputTokens: 100, maxRetries: 0 }
const script = (...actions: unknown[]) => JSON.stringify({ script: actions })

test('text is generated, with its usage and why it ended', async () => {
  const { text, usage, finishReason } = await generateText({ ...settings, prompt: 'Hello there' })
  expect(text).toBe('Hello there')
  expect(finishReason).toBe('stop')
  expect(usage).toMatchObject({ inputTokens: 5, outputTokens: 2 })
})

test('thinking and text are streamed apart', async () => {
  const result = streamText({
    ...settings,
    prompt: script({ reasoning: 'Hm, ' }, { reasoning: 'yes' }, { text: 'Ye' }, { text: 's.' }),
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
  })
  expect(await result.text).toBe('Yes.')
  expect(await result.reasoningText).toBe('Hm, yes')
  expect(await result.finishReason).toBe('stop')
})

test('a tool is called, run, and its result comes back to the model', async () => {
  const { steps, toolResults } = await generateText({
    ...settings,
    tools,
    prompt: script({ text: 'Looking.' }, { tool: { name: 'weather', arguments: ['{"city":', '"Oslo"}'] } }),
    stopWhen: stepCountIs(1),
  })
  expect(steps[0]?.finishReason).toBe('tool-calls')
  expect(toolResults).toMatchObject([{ toolName: 'weather', input: { city: 'Oslo' }, output: '12 degrees in Oslo' }])
})

test('a streamed call runs too, and the conversation with its result is taken back', async () => {
  const prompt = script({ text: 'Looking.' }, { tool: { name: 'weather', arguments: ['{"city":', '"Oslo"}'] } })
  // The user's last message is the script, so the second step plays it again.
  const result = streamText({ ...settings, tools, prompt, stopWhen: stepCountIs(2) })
  expect((await result.steps).map(({ toolResults }) => toolResults[0]?.output)).toEqual([
    '12 degrees in Oslo',
    '12 degrees in Oslo',
  ])
})

test.each([
  ['as the answer itself', 'outputFormat', { text: '{"city":"Oslo"}' }],
  ['as the arguments of a forced call', 'jsonTool', { tool: { name: 'json', arguments: ['{"city":"Oslo"}'] } }],
] as const)('an object is generated from a schema, %s', async (_, structuredOutputMode, action) => {
  const schema = city
  const { output } = await generateText({
    ...settings,
    prompt: script(action),
    output: Output.object({ schema }),
    providerOptions: { anthropic: { structuredOutputMode } },
  })
  expect(output).toEqual({ city: 'Oslo' })
})

test('an error has its status, message and whether trying again helps', async () => {
  const error = await generateText({ ...settings, model: anthropic('no/such'), prompt: 'Hi' }).catch(
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(APICallError)
  expect(error).toMatchObject({ statusCode: 404, message: 'model: no/such', isRetryable: false })
})
