/** The stock client of the messages dialect against the whole program as shipped, starter model included. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import Anthropic, { BadRequestError } from '@anthropic-ai/sdk'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'

const model = 'inferd/starter-chat'
const messages = [{ role: 'user' as const, content: 'What is the capital of France?' }]
const request = { model, messages, max_tokens: 40, temperature: 0 }

let served: ServedProcess
let client: Anthropic

beforeAll(async () => {
  served = await startServedProcess()
  const baseURL = served.baseUrl.replace(/\/v1$/, '')
  client = new Anthropic({ baseURL, apiKey: served.key, authToken: null, maxRetries: 0 })
}, 60_000)
afterAll(() => served[Symbol.asyncDispose](), 60_000)

/** Returns the text of an answer that must contain nothing else. */
function textOf({ content }: Anthropic.Message): string {
  const [block, ...rest] = content
  if (block?.type !== 'text' || rest.length > 0) throw new Error(`no plain text: ${JSON.stringify(content)}`)
  return block.text
}

test('an answer is the same whole and through the streaming helper, by id and by alias', async () => {
  const whole = await client.messages.create(request)
  expect(textOf(whole)).toContain('Paris')
  expect(whole).toMatchObject({ model, stop_reason: 'end_turn', stop_sequence: null })
  const streamed = await client.messages
    .stream({ ...request, model: 'starter-chat', max_tokens: 64_000 })
    .finalMessage()
  expect(textOf(streamed)).toBe(textOf(whole))
  expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens)
}, 60_000)

test('edge case 54: what is counted is what is used, with a system prompt and tools', async () => {
  const tools = [{ name: 'look_up', description: 'Looks up a word.', input_schema: { type: 'object' as const } }]
  for (const prompt of [
    { model, messages },
    { model, messages, system: 'Be brief.', tools },
  ]) {
    const { input_tokens } = await client.messages.countTokens(prompt)
    const { usage } = await client.messages.create({ ...prompt, max_tokens: 1 })
    expect(usage.input_tokens + (usage.cache_read_input_tokens ?? 0)).toBe(input_tokens)
  }
}, 60_000)

test('edge case 53: what was read from the cache is not counted as input again', async () => {
  const prompt = { model, messages: [{ role: 'user' as const, content: 'Tell me about the sea, please. '.repeat(20) }] }
  await client.messages.create({ ...prompt, max_tokens: 1 })
  const { usage } = await client.messages.create({ ...prompt, max_tokens: 1 })
  const { input_tokens } = await client.messages.countTokens(prompt)
  expect(usage.cache_read_input_tokens).toBeGreaterThan(50)
  expect(usage.input_tokens + (usage.cache_read_input_tokens ?? 0)).toBe(input_tokens)
}, 60_000)

test('edge case 61: a stop sequence ends the answer and is named', async () => {
  const free = textOf(await client.messages.create(request))
  const stop = free.slice(4, 9)
  const stopped = await client.messages.create({ ...request, stop_sequences: [stop] })
  expect(textOf(stopped)).toBe(free.slice(0, free.indexOf(stop)))
  expect(stopped).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: stop })
}, 60_000)

test('a last message of the assistant is continued', async () => {
  const free = textOf(await client.messages.create(request))
  const begun = free.slice(0, free.indexOf('Paris'))
  const prefill = { role: 'assistant' as const, content: begun.trimEnd() }
  const rest = textOf(await client.messages.create({ ...request, messages: [...messages, prefill] }))
  expect(rest.trimStart()).toStartWith('Paris')
}, 60_000)

test('edge case 59: a prompt longer than the context is refused in numbers that fit what is counted', async () => {
  const long = { model, messages: [{ role: 'user' as const, content: 'word '.repeat(60_000) }] }
  const error = await client.messages
    .stream({ ...long, max_tokens: 1 })
    .finalMessage()
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(BadRequestError)
  const words = /^prompt is too long: (\d+) tokens > (\d+) maximum$/.exec((error as BadRequestError).apiMessage ?? '')
  expect(Number(words?.[1])).toBeGreaterThan(Number(words?.[2]))
  expect((await client.messages.countTokens(long)).input_tokens).toBe(Number(words?.[1]))
}, 60_000)

test('edge case 48: system messages in the middle and at the end are answered', async () => {
  const answer = await client.messages.create({
    ...request,
    system: [{ type: 'text', text: 'You are helpful.' }],
    messages: [
      { role: 'user', content: 'Hello!' },
      { role: 'system', content: 'The user likes short answers.' },
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: 'What is the capital of France?' },
      { role: 'system', content: 'Answer in English.' },
    ],
  })
  expect(textOf(answer)).not.toBe('')
}, 60_000)
test('a forced call is one of the tool offered, with arguments that fit its schema', async () => {
  const answer = await client.messages.create({
    ...request,
    max_tokens: 200,
    tools: [
      {
        name: 'get_weather',
        description: 'Tells the weather.',
        input_schema: {
          type: 'object',
          properties: { city: { type: 'string', enum: ['Paris', 'Oslo'] } },
          required: ['city'],
          additionalProperties: false,
        },
      },
    ],
    tool_choice: { type: 'tool', name: 'get_weather' },
  })
  expect(answer.stop_reason).toBe('tool_use')
  const [call] = answer.content.filter((block) => block.type === 'tool_use')
  expect(call).toMatchObject({ name: 'get_weather', input: { city: expect.stringMatching(/^(Paris|Oslo)$/) } })
}, 60_000)

test('thinking comes as a block before the answer when it is asked for, and not otherwise', async () => {
  const thinking = { type: 'enabled' as const, budget_tokens: 1024 }
  const streamed = await client.messages.stream({ ...request, thinking, max_tokens: 200 }).finalMessage()
  expect(streamed.content.map(({ type }) => type)).toEqual(['thinking', 'text'])
  expect(streamed.usage.output_tokens_details?.thinking_tokens).toBeGreaterThan(0)
  expect((await client.messages.create(request)).usage.output_tokens_details?.thinking_tokens).toBe(0)
}, 60_000)

test('an answer keeps to the schema that it is given', async () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string', enum: ['Paris', 'Oslo'] } },
    required: ['city'],
    additionalProperties: false,
  }
  const answer = await client.messages.create({
    ...request,
    max_tokens: 200,
    output_config: { format: { type: 'json_schema', schema } },
  })
  expect(['Paris', 'Oslo']).toContain(JSON.parse(textOf(answer)).city)
}, 60_000)
