/**
 * Tests an old generation of LangChain's client for the messages dialect, over a real socket and against scripted
 * engines.
 */
import { afterAll, expect, test } from 'bun:test'
import { ChatAnthropic } from 'langchain-anthropic-0.1'
import { startTestServer } from '../../src/testing/test-server.ts'
import { description, expectWholeConversation, failure, parameters, question, script, weather } from './weather.ts'

const server = startTestServer({ parallel: 8, config: { keepAliveMs: 10 } })
afterAll(() => server[Symbol.asyncDispose]())

const chat = new ChatAnthropic({
  apiKey: server.keys.valid,
  anthropicApiUrl: server.url,
  model: 'fake',
  maxTokens: 100,
  maxRetries: 0,
})

test('a question is answered, with its usage', async () => {
  const answer = await chat.invoke('Hello there 🙂')
  expect(answer.content).toBe('Hello there 🙂')
  expect(answer.response_metadata.usage).toMatchObject({ input_tokens: 5, output_tokens: 3 })
})

test('a stream has the same text', async () => {
  let text = ''
  for await (const chunk of await chat.stream(script({ text: 'Hel' }, { delayMs: 40 }, { text: 'lo 🙂' })))
    text += chunk.content
  expect(text).toBe('Hello 🙂')
})

test('a bound tool is called, and its result is answered', async () => {
  const withTools = chat.bind({ tools: [{ name: 'weather', description, input_schema: parameters }] })
  const first = await withTools.invoke(question)
  expect(first.tool_calls).toMatchObject([{ name: 'weather', args: { city: 'Oslo' } }])
  const [call] = first.tool_calls ?? []
  if (call?.id === undefined) throw new Error('there was no call')
  const result = { role: 'tool', content: weather({ city: 'Oslo' }), tool_call_id: call.id }
  const second = await withTools.invoke([['human', question], first, result])
  expectWholeConversation(String(second.content))
})

test('a failure of the engine is thrown with its status', async () => {
  const thrown = await chat.invoke(script(failure)).catch((reason: unknown) => reason)
  expect(thrown).toMatchObject({ status: 502, message: expect.stringContaining('The engine stopped.') })
})
