/** The Vercel AI SDK through its provider for the chat dialect, against scripted engines. */
import { afterAll, expect, test } from 'bun:test'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, Output, stepCountIs, streamText } from 'ai'
import { startTestServer } from '../testing/test-server.ts'
import { city, tools } from '../testing/weather-tools.ts'

const server = startTestServer({ parallel: 8 })
afterAll(() => server[Symbol.asyncDispose]())

const inferd = createOpenAICompatible({
  name: 'inferd',
  baseURL: server.baseUrl,
  apiKey: server.keys.valid,
  includeUsage: true,
  supportsStructuredOutputs: true,
})
const settings = { model: inferd('fake'), maxRetries: 0 }
const script = (finish: string, ...actions: unknown[]) => JSON.stringify({ script: actions, finish })
const calling = script(
  'tool-calls',
  { text: 'Look:' },
  { tool: { name: 'weather', arguments: ['{"city":', '"Oslo"}'] } },
)

test('text is generated, with its usage and why it ended', async () => {
  const { text, usage, finishReason } = await generateText({ ...settings, prompt: 'Hello there' })
  expect(text).toBe('Hello there')
  expect(finishReason).toBe('stop')
  expect(usage).toMatchObject({ inputTokens: 5, outputTokens: 2 })
})

test('thinking and text are streamed apart, with the usage', async () => {
  const prompt = script('stop', { reasoning: 'Hm, ' }, { reasoning: 'yes' }, { text: 'Ye' }, { text: 's.' })
  const result = streamText({ ...settings, prompt })
  expect(await result.text).toBe('Yes.')
  expect(await result.reasoningText).toBe('Hm, yes')
  expect(await result.usage).toMatchObject({ outputTokens: 4, outputTokenDetails: { reasoningTokens: 2 } })
})

test('a tool is called and run', async () => {
  const { steps, toolResults } = await generateText({ ...settings, tools, prompt: calling, stopWhen: stepCountIs(1) })
  expect(steps[0]?.finishReason).toBe('tool-calls')
  expect(toolResults).toMatchObject([{ toolName: 'weather', input: { city: 'Oslo' }, output: '12 degrees in Oslo' }])
})

test('a streamed call runs too, and the conversation with its result is taken back', async () => {
  // The user's last message is the script, so the second step plays it again.
  const result = streamText({ ...settings, tools, prompt: calling, stopWhen: stepCountIs(2) })
  const outputs = (await result.steps).map(({ toolResults }) => toolResults[0]?.output)
  expect(outputs).toEqual(['12 degrees in Oslo', '12 degrees in Oslo'])
})

test('an object is generated from a schema', async () => {
  const prompt = script('stop', { text: '{"city":' }, { text: '"Oslo"}' })
  const { output } = await generateText({ ...settings, prompt, output: Output.object({ schema: city }) })
  expect(output).toEqual({ city: 'Oslo' })
})

test('the schema reaches the engine', async () => {
  const prompt = script('stop', { echoRequest: true })
  const { output } = await generateText({
    ...settings,
    prompt,
    output: Output.object({ schema: jsonSchema<object>(city.jsonSchema) }),
  })
  expect(output).toMatchObject({ answerSchema: { properties: { city: { type: 'string' } }, required: ['city'] } })
})
