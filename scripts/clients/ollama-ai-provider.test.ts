/**
 * Tests the provider of Ollama's API for version 4 of the Vercel AI SDK, over a real socket and against scripted
 * engines.
 */
import { afterAll, expect, test } from 'bun:test'
import { embedMany, generateText, jsonSchema, streamText, tool } from 'ai-4'
import { createOllama } from 'ollama-ai-provider'
import { startTestServer } from '../../src/testing/test-server.ts'
import { textModels } from '../../src/testing/text-models.ts'
import { description, expectWholeConversation, question, script, weather } from './weather.ts'

const server = startTestServer({
  parallel: 8,
  models: textModels,
  hasOllamaDoor: true,
  config: { servesKeyless: true },
})
afterAll(() => server[Symbol.asyncDispose]())

const provider = createOllama({ baseURL: `${server.ollamaUrl}/api` })
const settings = { model: provider('fake'), maxRetries: 0 }
const city = jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } })
const tools = { weather: tool({ description, parameters: city, execute: async (input) => weather(input) }) }

test('text is generated, whole and in a stream', async () => {
  const { text, usage, finishReason } = await generateText({ ...settings, prompt: 'Hello there' })
  expect({ text, finishReason }).toEqual({ text: 'Hello there', finishReason: 'stop' })
  expect(usage).toMatchObject({ promptTokens: 5, completionTokens: 2 })
  const { textStream } = streamText({ ...settings, prompt: script({ text: 'Blue ' }, { text: 'light.' }) })
  expect((await Array.fromAsync(textStream)).join('')).toBe('Blue light.')
})

test('a tool is called, and its result is answered, but not in a stream', async () => {
  const options = { ...settings, tools, prompt: question, maxSteps: 3 }
  expectWholeConversation((await generateText(options)).text)
  const streamed = streamText(options)
  expect((await Array.fromAsync(streamed.textStream)).join('')).toBe('Looking.')
  expect(await streamed.toolCalls).toEqual([])
})

test('texts become vectors', async () => {
  const model = provider.embedding('embedder')
  expect((await embedMany({ model, values: ['one', 'two'], maxRetries: 0 })).embeddings).toHaveLength(2)
})
