/** The stock client against scripted engines: what only a script can bring about. */
import { afterAll, expect, test } from 'bun:test'
import OpenAI, { APIError } from 'openai'
import { startTestServer } from '../testing/test-server.ts'

const server = startTestServer({ parallel: 8, config: { keepAliveMs: 10 } })
afterAll(() => server[Symbol.asyncDispose]())

const client = new OpenAI({ baseURL: server.baseUrl, apiKey: server.keys.valid, maxRetries: 0 })

function scripted(...actions: unknown[]) {
  return { model: 'fake', messages: [{ role: 'user' as const, content: JSON.stringify({ script: actions }) }] }
}

test('the streaming helper gathers text, usage and the finish reason, comments in between or not', async () => {
  const stream = client.chat.completions.stream({
    ...scripted({ text: 'Hel' }, { delayMs: 40 }, { text: 'lo 🙂' }),
    stream_options: { include_usage: true },
  })
  const completion = await stream.finalChatCompletion()
  expect(completion.choices[0]?.message.content).toBe('Hello 🙂')
  expect(completion.choices[0]?.finish_reason).toBe('stop')
  expect(completion.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 })
})

test('the streaming helper gathers calls, one without arguments among them', async () => {
  const stream = client.chat.completions.stream(
    scripted(
      { reasoning: 'Which one?' },
      { tool: { name: 'find', arguments: ['{"city"', ':"Oslo"}'] } },
      { tool: { name: 'now', arguments: [] } },
    ),
  )
  const { choices } = await stream.finalChatCompletion()
  const calls = choices[0]?.message.tool_calls ?? []
  expect(calls.map((call) => (call.type === 'function' ? call.function : undefined))).toMatchObject([
    { name: 'find', arguments: '{"city":"Oslo"}' },
    { name: 'now', arguments: '{}' },
  ])
  expect(new Set(calls.map((call) => call.id)).size).toBe(2)
})

test('thinking comes as reasoning_content, whole and streamed', async () => {
  const request = scripted({ reasoning: 'Hm, ' }, { reasoning: 'yes' }, { text: 'Yes.' })
  const whole = await client.chat.completions.create(request)
  expect(whole.choices[0]?.message).toMatchObject({ content: 'Yes.', reasoning_content: 'Hm, yes' })
  expect(whole.usage?.completion_tokens_details?.reasoning_tokens).toBe(2)
  let reasoning = ''
  for await (const chunk of await client.chat.completions.create({ ...request, stream: true })) {
    // The client's types do not know the field; it passes it on.
    const delta = chunk.choices[0]?.delta as { reasoning_content?: string } | undefined
    reasoning += delta?.reasoning_content ?? ''
  }
  expect(reasoning).toBe('Hm, yes')
})

test('an error in the middle of a stream is thrown with its message and code', async () => {
  const error = { kind: 'engine', code: 'engine_failed', message: 'The engine stopped.' }
  const stream = await client.chat.completions.create({ ...scripted({ text: 'a' }, { error }), stream: true })
  let text = ''
  const thrown = await (async () => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
  })().catch((reason: unknown) => reason)
  expect(text).toBe('a')
  expect(thrown).toBeInstanceOf(APIError)
  expect(thrown).toMatchObject({
    code: 'engine_failed',
    type: 'server_error',
    error: { message: 'The engine stopped.' },
  })
})
