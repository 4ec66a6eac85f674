/** Tests LangChain and the Vercel AI SDK through Ollama's API, over real sockets and against scripted engines. */
import { afterAll, expect, test } from 'bun:test'
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOllama, Ollama, OllamaEmbeddings } from '@langchain/ollama'
import { embedMany, generateText, Output, stepCountIs, streamText, tool } from 'ai'
import { createOllama } from 'ollama-ai-provider-v2'
import { z } from 'zod'
import { startTestServer } from '../../src/testing/test-server.ts'
import { textModels } from '../../src/testing/text-models.ts'
import { description, expectWholeConversation, parameters, question, script, weather } from './weather.ts'

const server = startTestServer({
  parallel: 8,
  models: textModels,
  hasOllamaDoor: true,
  config: { servesKeyless: true },
})
afterAll(() => server[Symbol.asyncDispose]())

// Turns off the SDK's warnings about options that the provider ignores.
globalThis.AI_SDK_LOG_WARNINGS = false

const baseUrl = server.ollamaUrl ?? ''
const thinking = script({ reasoning: 'Hm.' }, { text: 'Blue ' }, { text: 'light.' })
const city = z.object({ city: z.string() })
const answersCity = script({ text: '{"city":' }, { text: '"Oslo"}' })

const chain = new ChatOllama({ baseUrl, model: 'fake', checkOrPullModel: true, maxRetries: 0 })

test('LangChain: text, whole and in a stream, and its tokens', async () => {
  const { content, usage_metadata: usage } = await chain.invoke('Hello there')
  expect(content).toBe('Hello there')
  expect(usage).toMatchObject({ input_tokens: 5, output_tokens: 2 })
  let text = ''
  for await (const part of await chain.stream(thinking)) text += part.content
  expect(text).toBe('Blue light.')
  expect(await new Ollama({ baseUrl, model: 'fake', maxRetries: 0 }).invoke('Hello there')).toBe('Hello there')
})

test('LangChain: a tool is called, and its result belongs to the call', async () => {
  const withTools = chain.bindTools([{ type: 'function', function: { name: 'weather', description, parameters } }])
  const asked = new HumanMessage(question)
  const called = await withTools.invoke([asked])
  const [call] = called.tool_calls ?? []
  expect(call).toMatchObject({ name: 'weather', args: { city: 'Oslo' } })
  const result = new ToolMessage({ content: weather({ city: 'Oslo' }), tool_call_id: call?.id ?? '' })
  const said = new AIMessage({ content: called.content, tool_calls: called.tool_calls ?? [] })
  expectWholeConversation(String((await withTools.invoke([asked, said, result])).content))
})

test('LangChain: structured output and embeddings', async () => {
  expect(await chain.withStructuredOutput(city).invoke(answersCity)).toEqual({ city: 'Oslo' })
  const embeddings = new OllamaEmbeddings({ baseUrl, model: 'embedder', maxRetries: 0 })
  expect(await embeddings.embedDocuments(['one', 'two'])).toHaveLength(2)
})

const provider = createOllama({ baseURL: `${baseUrl}/api` })
const settings = { model: provider('fake'), maxRetries: 0 }

test('AI SDK: text, whole and in a stream, thinking apart', async () => {
  const { text, usage, finishReason } = await generateText({ ...settings, prompt: 'Hello there' })
  expect({ text, finishReason }).toEqual({ text: 'Hello there', finishReason: 'stop' })
  expect(usage).toMatchObject({ inputTokens: 5, outputTokens: 2 })
  const result = streamText({ ...settings, prompt: thinking })
  expect(await result.text).toBe('Blue light.')
  expect(await result.reasoningText).toBe('Hm.')
})

test('AI SDK: a tool is called, and its result answered, whole and in a stream', async () => {
  const tools = { weather: tool({ description, inputSchema: city, execute: weather }) }
  const options = { ...settings, tools, prompt: question, stopWhen: stepCountIs(2) }
  expectWholeConversation((await generateText(options)).text)
  expectWholeConversation((await streamText(options).steps).at(-1)?.text ?? '')
})

test('AI SDK: structured output and embeddings', async () => {
  const { output } = await generateText({ ...settings, prompt: answersCity, output: Output.object({ schema: city }) })
  expect(output).toEqual({ city: 'Oslo' })
  const { embeddings } = await embedMany({
    model: provider.embedding('embedder'),
    values: ['one', 'two'],
    maxRetries: 0,
  })
  expect(embeddings).toHaveLength(2)
})

test('AI SDK: prompts of the older kind', async () => {
  const model = provider.completion('fake')
  expect((await generateText({ model, prompt: 'Hello there', maxRetries: 0 })).text).toContain('Hello there')
  expect(await streamText({ model, prompt: 'Hello there', maxRetries: 0 }).text).toContain('Hello there')
})
