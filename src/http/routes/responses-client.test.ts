/** The stock client's responses API against the whole program as shipped, starter model included. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI, { BadRequestError } from 'openai'
import { makeParseableTextFormat } from 'openai/lib/parser'
import { type ServedProcess, startServedProcess } from '../../testing/served-process.ts'

const model = 'inferd/starter-chat'
const request = { model, input: 'What is the capital of France?', temperature: 0, max_output_tokens: 40 }

let served: ServedProcess
let client: OpenAI

beforeAll(async () => {
  served = await startServedProcess()
  client = new OpenAI({ baseURL: served.baseUrl, apiKey: served.key, maxRetries: 0 })
}, 60_000)
afterAll(() => served[Symbol.asyncDispose](), 60_000)

test('edge case 19: an answer is the same whole and streamed, by id and by alias', async () => {
  const whole = await client.responses.create(request)
  expect(whole.output_text).toContain('Paris')
  expect(whole).toMatchObject({ model, status: 'completed' })
  const streamed = await client.responses.stream({ ...request, model: 'starter-chat' }).finalResponse()
  expect(streamed.output_text).toBe(whole.output_text)
  expect(streamed.usage?.output_tokens).toBe(whole.usage?.output_tokens ?? 0)
}, 60_000)

test('what is counted is what is used, with instructions and tools', async () => {
  const tools = [{ type: 'function' as const, name: 'look_up', parameters: {}, strict: false }]
  for (const prompt of [
    { model, input: 'Hello!' },
    { model, input: 'Hello!', instructions: 'Be brief.', tools },
  ]) {
    const { input_tokens } = await client.responses.inputTokens.count(prompt)
    const { usage } = await client.responses.create({ ...prompt, max_output_tokens: 1 })
    expect(usage?.input_tokens).toBe(input_tokens)
  }
}, 60_000)

test('edge case 11: a limit beyond the context is no reason to refuse, a small one cuts', async () => {
  expect((await client.responses.create({ ...request, max_output_tokens: 1_000_000 })).status).toBe('completed')
  const cut = await client.responses.create({ ...request, max_output_tokens: 2 })
  expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
  expect(cut.usage?.output_tokens).toBe(2)
}, 60_000)

test('edge case 14: an answer keeps to its schema', async () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string', enum: ['Paris', 'Oslo'] },
      people: { type: 'integer', minimum: 0, maximum: 9 },
    },
    required: ['city', 'people'],
    additionalProperties: false,
  }
  const format = makeParseableTextFormat<{ city: string; people: number }>(
    { type: 'json_schema', name: 'answer', schema, strict: true },
    (content) => JSON.parse(content),
  )
  const { output_parsed: answer } = await client.responses.parse({ ...request, text: { format } })
  expect(['Paris', 'Oslo']).toContain(answer?.city ?? '')
  expect(answer?.people).toBeWithin(0, 10)
}, 60_000)

test('edge case 5: a call that is asked for comes, and its result is read', async () => {
  const tools = [
    {
      type: 'namespace' as const,
      name: 'mcp__map',
      description: 'A map.',
      tools: [
        {
          type: 'function' as const,
          name: 'weather',
          description: 'Tells the weather.',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string', enum: ['Paris', 'Oslo'] } },
            required: ['city'],
            additionalProperties: false,
          },
        },
      ],
    },
  ]
  const input = 'How is the weather in Paris?'
  const stream = client.responses.stream({
    ...request,
    input,
    tools,
    tool_choice: 'required',
    parallel_tool_calls: false,
  })
  const { output } = await stream.finalResponse()
  const call = output.find((item) => item.type === 'function_call')
  if (call === undefined) throw new Error(`no call: ${JSON.stringify(output)}`)
  expect(call).toMatchObject({ name: 'weather', namespace: 'mcp__map', status: 'completed' })
  expect(['Paris', 'Oslo']).toContain(JSON.parse(call.arguments).city)
  const next = await client.responses.create({
    ...request,
    tools,
    input: [
      { role: 'user', content: input },
      { ...call, id: call.id ?? '' },
      { type: 'function_call_output', call_id: call.call_id, output: [{ type: 'input_text', text: '12 degrees' }] },
    ],
  })
  expect(next.output.length).toBeGreaterThan(0)
}, 60_000)

test('edge case 41: a conversation beyond the context is refused with a status and its code', async () => {
  const input = 'word '.repeat(60_000)
  const failure = await client.responses.create({ ...request, input }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(BadRequestError)
  expect(failure).toMatchObject({ code: 'context_length_exceeded' })
}, 60_000)

test('edge case 18: roles in any order and a late developer are answered', async () => {
  const { status } = await client.responses.create({
    ...request,
    input: [
      { role: 'assistant', content: 'Earlier.' },
      { role: 'user', content: 'One.' },
      { role: 'user', content: 'Two.' },
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Hello!' },
    ],
  })
  expect(['completed', 'incomplete']).toContain(status ?? '')
}, 60_000)
