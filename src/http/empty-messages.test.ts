/** Empty messages have no effect and are never refused, in every dialect of the whole program. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'

let server: ServedProcess

beforeAll(async () => {
  server = await startServedProcess()
})
afterAll(() => server[Symbol.asyncDispose]())

interface Answer {
  readonly text: string
  readonly promptTokens: number
}

/** Returns the answer's body. Fails with any status but 200. */
async function post(path: string, body: object) {
  const response = await fetch(new URL(path, new URL(server.baseUrl).origin), {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'starter-chat', ...body }),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}

type Ask = (messages: readonly object[]) => Promise<Answer>

async function askChat(messages: readonly object[]): Promise<Answer> {
  const answer = await post('/v1/chat/completions', { messages, max_tokens: 8, temperature: 0 })
  return { text: JSON.stringify(answer.choices[0].message), promptTokens: answer.usage.prompt_tokens }
}

async function askResponses(input: readonly object[]): Promise<Answer> {
  const answer = await post('/v1/responses', { input, max_output_tokens: 16, temperature: 0 })
  const texts = answer.output.map(({ content = [] }: { content?: { text: string }[] }) =>
    content.map(({ text }) => text),
  )
  return { text: texts.join(), promptTokens: answer.usage.input_tokens }
}

async function askMessages(messages: readonly object[]): Promise<Answer> {
  const answer = await post('/v1/messages', { messages, max_tokens: 8, temperature: 0 })
  return { text: JSON.stringify(answer.content), promptTokens: answer.usage.input_tokens }
}

async function askOllama(messages: readonly object[]): Promise<Answer> {
  const options = { num_predict: 8, temperature: 0 }
  const answer = await post('/api/chat', { messages, stream: false, options })
  return { text: answer.message.content + (answer.message.thinking ?? ''), promptTokens: answer.prompt_eval_count }
}

const user = { role: 'user', content: 'Hello, who are you?' }

describe.each<[dialect: string, ask: Ask, textType: string]>([
  ['chat completions', askChat, 'text'],
  ['responses', askResponses, 'output_text'],
  ['messages', askMessages, 'text'],
  ["Ollama's chat", askOllama, 'text'],
])('%s', (_, ask, type) => {
  test('a last message of the assistant that says nothing opens its turn', async () => {
    const plain = await ask([user])
    const parts = [[], [null], [{ type, text: '' }], [{ type, text: null }], '', null, undefined]
    for (const content of parts) expect(await ask([user, { role: 'assistant', content }])).toEqual(plain)
    for (const content of parts)
      expect(await ask([user, { role: 'assistant', content }, { role: 'assistant', content }])).toEqual(plain)
  })

  test('nothing said anywhere is never refused', async () => {
    const plain = await ask([user, { role: 'assistant', content: 'I.' }, user])
    for (const role of ['user', 'assistant', 'system']) {
      for (const content of [null, undefined, '', [], [null]]) {
        const empty = { role, content }
        expect(await ask([user, empty, { role: 'assistant', content: 'I.' }, empty, user])).toEqual(plain)
      }
    }
  })
})

test('calls of null or none are none, in chat completions and with Ollama', async () => {
  for (const ask of [askChat, askOllama]) {
    const plain = await ask([user])
    for (const tool_calls of [null, [], [null]]) {
      expect(await ask([user, { role: 'assistant', content: null, tool_calls }])).toEqual(plain)
      expect(await ask([user, { role: 'assistant', tool_calls }])).toEqual(plain)
    }
  }
})

test('behind a result too', async () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
  const called = { role: 'assistant', content: null, tool_calls: [call] }
  const history = [user, called, { role: 'tool', tool_call_id: 'a', content: 'It is 3.' }]
  const plain = await askChat(history)
  for (const content of ['', [], null])
    expect(await askChat([...history, { role: 'assistant', content }])).toEqual(plain)
  for (const content of [null, undefined, [], [null], { sky: 'blue' }])
    await askChat([user, called, { role: 'tool', tool_call_id: 'a', content }])
  const result = (content: unknown) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] })
  const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] }
  for (const content of [null, undefined, [], [null], { sky: 'blue' }]) await askMessages([user, use, result(content)])
  for (const output of [null, undefined, []]) {
    const item = { type: 'function_call', call_id: 'a', name: 'f', arguments: null }
    await askResponses([user, item, { type: 'function_call_output', call_id: 'a', output }])
  }
})

test('a result of no call is told, in the dialect of messages too', async () => {
  const orphan = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'gone', content: 'It is 3.' }] }
  const answered = [user, { role: 'assistant', content: 'I.' }]
  const without = await askMessages([...answered, user])
  expect((await askMessages([...answered, orphan, user])).promptTokens).toBeGreaterThan(without.promptTokens)
})
