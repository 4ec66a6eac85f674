/** Ollama's API of the whole program as shipped: a server process, a llama.cpp child, the starter models. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Ollama } from 'ollama'
import { paint, toPng } from '../testing/pictures.ts'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'

let server: ServedProcess
let client: Ollama
const model = 'starter-chat'

beforeAll(async () => {
  server = await startServedProcess()
  const headers = { Authorization: `Bearer ${server.key}` }
  client = new Ollama({ host: new URL(server.baseUrl).origin, headers })
})
afterAll(() => server[Symbol.asyncDispose]())

const ask = (content: string, images: Uint8Array[] = []) => [{ role: 'user', content, images }]

test('the model is listed with all that it can do, and the context that it has here', async () => {
  const { models } = await client.list()
  expect(models.find(({ name }) => name === 'inferd/starter-chat:latest')).toMatchObject({
    size: expect.any(Number),
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    details: { format: 'gguf', family: 'qwen3', quantization_level: 'Q8_0', parameter_size: '3.97M' },
    capabilities: ['completion', 'tools', 'vision', 'thinking'],
  })
  const shown = await client.show({ model: 'Starter-Chat:latest' })
  expect(shown.capabilities).toEqual(['completion', 'tools', 'vision', 'thinking'])
  expect(shown.model_info).toMatchObject({ 'general.architecture': 'qwen3', 'qwen3.context_length': 32_768 })
})

test('a stream for a seed is the whole answer, and what the same chat says below /v1', async () => {
  const options = { seed: 7, temperature: 0.9, num_predict: 30 }
  const chat = { model, messages: ask('Tell me about the sea.'), options }
  const whole = await client.chat(chat)
  let text = ''
  for await (const part of await client.chat({ ...chat, stream: true })) text += part.message.content
  expect(text).toBe(whole.message.content)
  const response = await fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}` },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'Tell me about the sea.' }],
      seed: 7,
      temperature: 0.9,
      max_tokens: 30,
    }),
  })
  const same = (await response.json()) as { choices: { message: { content: string } }[]; usage: object }
  expect(same.choices[0]?.message.content).toBe(text)
  expect(same.usage).toMatchObject({ prompt_tokens: whole.prompt_eval_count, completion_tokens: whole.eval_count })
})

test('raw is the template written out', async () => {
  const options = { seed: 1, temperature: 0, num_predict: 12 }
  const templated = await client.generate({ model, prompt: 'Hello', think: false, options })
  const prompt = '<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n'
  const raw = await client.generate({ model, prompt, raw: true, options })
  expect(raw.response).toBe(templated.response)
  expect(raw.prompt_eval_count).toBe(templated.prompt_eval_count)
})

test('thinking stands apart where it is asked for', async () => {
  const { message } = await client.chat({
    model,
    messages: ask('What is 2 + 2?'),
    think: true,
    options: { num_predict: 200 },
  })
  expect(message.thinking).toMatch(/\w/)
  expect(message.content).not.toContain('<think>')
})

test('a schema holds, and a tool is called', async () => {
  const format = {
    type: 'object',
    properties: { days: { type: 'integer', minimum: 2, maximum: 4 } },
    required: ['days'],
  }
  const { message } = await client.chat({ model, messages: ask('How long?'), format })
  expect(JSON.parse(message.content).days).toBeWithin(2, 5)
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const tools = [{ type: 'function', function: { name: 'get_weather', description: 'Weather of a city', parameters } }]
  const called = await client.chat({ model, messages: ask('What is the weather in Paris?'), tools })
  expect(called.message.tool_calls).toMatchObject([{ function: { name: 'get_weather', arguments: { city: 'Paris' } } }])
})

test('a picture is seen: it takes tokens', async () => {
  const picture = toPng(paint(64, 64, () => [255, 0, 0]))
  const seen = await client.chat({
    model,
    messages: ask('What colour is it?', [picture]),
    options: { num_predict: 20 },
  })
  const unseen = await client.chat({ model, messages: ask('What colour is it?'), options: { num_predict: 20 } })
  expect(seen.prompt_eval_count).toBeGreaterThan(unseen.prompt_eval_count)
})

test('a model without tokens for gaps says so', async () => {
  await expect(client.generate({ model, prompt: 'a', suffix: 'b' })).rejects.toThrow('filling in the middle')
})

test('texts are embedded', async () => {
  const { embeddings, prompt_eval_count: tokens } = await client.embed({
    model: 'starter-embed',
    input: ['one', 'two'],
  })
  expect(embeddings.map((vector) => Math.hypot(...vector))).toEqual([expect.closeTo(1, 5), expect.closeTo(1, 5)])
  expect(tokens).toBeGreaterThan(1)
})
