/** The stock client's responses API against scripted engines: cases that only a script can produce. */
import { afterAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { makeParseableTextFormat } from 'openai/lib/parser'
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import { plainMessages } from '../../testing/plain-messages.ts'
import { startTestServer } from '../../testing/test-server.ts'

const server = startTestServer({ parallel: 8, config: { keepAliveMs: 10 } })
afterAll(() => server[Symbol.asyncDispose]())

const client = new OpenAI({ baseURL: server.baseUrl, apiKey: server.keys.valid, maxRetries: 0 })

function scripted(...actions: unknown[]) {
  return { model: 'fake', input: JSON.stringify({ script: actions }) }
}

/** Returns the events that the streaming helper received, and the response that it made of them. */
async function streamed(request: Parameters<typeof client.responses.stream>[0]) {
  const stream = client.responses.stream(request)
  const events: ResponseStreamEvent[] = []
  for await (const event of stream) events.push(event)
  return { events, types: events.map((event) => event.type), response: await stream.finalResponse() }
}

test('a whole answer has its text, its usage and the fields of the request', async () => {
  const response = await client.responses.create({
    ...scripted({ text: 'Hello ' }, { text: 'you 🙂' }),
    instructions: 'Be kind.',
    metadata: { a: 'b' },
    temperature: 0.5,
  })
  expect(response.output_text).toBe('Hello you 🙂')
  expect(response).toMatchObject({
    object: 'response',
    status: 'completed',
    instructions: 'Be kind.',
    metadata: { a: 'b' },
    temperature: 0.5,
    usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
  })
})

test('edge case 7: the streaming helper gathers text and usage, comments in between or not', async () => {
  const { types, response } = await streamed(scripted({ text: 'Hel' }, { delayMs: 40 }, { text: 'lo' }))
  expect(response.output_text).toBe('Hello')
  expect(response.usage).toMatchObject({ input_tokens: 5, output_tokens: 2 })
  expect(types.filter((type) => type === 'response.output_text.delta')).toHaveLength(2)
})

test('edge case 10: thinking comes as summary where asked for, else as content, and is counted', async () => {
  const request = scripted({ reasoning: 'Hm, ' }, { reasoning: 'yes' }, { text: 'Yes.' })
  const plain = await streamed(request)
  expect(plain.response.output[0]).toMatchObject({ content: [{ text: 'Hm, yes' }], summary: [] })
  expect(plain.types).toContain('response.reasoning_text.delta')
  const summed = await streamed({ ...request, reasoning: { summary: 'auto' } })
  expect(summed.response.output[0]).toMatchObject({ content: [], summary: [{ text: 'Hm, yes' }] })
  expect(summed.types).toContain('response.reasoning_summary_text.delta')
  expect(summed.response.usage?.output_tokens_details.reasoning_tokens).toBe(2)
  expect(summed.response.output_text).toBe('Yes.')
})

test('edge case 36: thinking that was given out sealed can be given back', async () => {
  const first = await client.responses.create({
    ...scripted({ reasoning: 'Look it up.' }, { tool: { name: 'find', arguments: ['{}'] } }),
    include: ['reasoning.encrypted_content'],
  })
  const [thought, call] = first.output
  if (thought?.type !== 'reasoning' || call?.type !== 'function_call') throw new Error('other items than scripted')
  const input = [
    { role: 'user' as const, content: JSON.stringify({ script: [{ echoRequest: true }] }) },
    // Clients that keep only the token send this.
    { type: 'reasoning' as const, id: thought.id, summary: [], encrypted_content: thought.encrypted_content ?? null },
    call,
    { type: 'function_call_output' as const, call_id: call.call_id, output: 'found' },
  ]
  const second = await client.responses.create({ model: 'fake', input })
  expect(plainMessages(JSON.parse(second.output_text).messages)).toMatchObject([
    { role: 'user' },
    { role: 'assistant', reasoning: 'Look it up.', toolCalls: [{ id: call.call_id, name: 'find' }] },
    { role: 'tool', content: 'found', toolCallId: call.call_id },
  ])
})

describe('tools', () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const find = { type: 'function' as const, name: 'find', description: 'Finds.', parameters, strict: false }

  test('edge case 32: parallel calls have ids of their own, streamed and whole', async () => {
    const request = {
      ...scripted(
        { text: 'I look.' },
        { tool: { name: 'find', arguments: ['{"city"', ':"Oslo"}'] } },
        { tool: { name: 'find', arguments: [] } },
      ),
      tools: [find],
    }
    const { events, response } = await streamed(request)
    const calls = response.output.filter((item) => item.type === 'function_call')
    expect(calls.map((item) => item.arguments)).toEqual(['{"city":"Oslo"}', '{}'])
    expect(new Set(calls.flatMap((item) => [item.id, item.call_id])).size).toBe(4)
    const done = events.filter((event) => event.type === 'response.output_item.done').map((event) => event.item.type)
    expect(done).toEqual(['message', 'function_call', 'function_call'])
    const whole = await client.responses.create(request)
    expect(whole.output.map((item) => item.type)).toEqual(['message', 'function_call', 'function_call'])
  })

  test('edge case 43: a custom tool is given its text', async () => {
    const { events, response } = await streamed({
      ...scripted({ tool: { name: 'run', arguments: ['{"input":"ls', ' -l \\"a', '\\""}'] } }),
      tools: [{ type: 'custom', name: 'run' }],
    })
    expect(response.output).toMatchObject([{ type: 'custom_tool_call', name: 'run', input: 'ls -l "a"' }])
    const deltas = events.flatMap((event) =>
      event.type === 'response.custom_tool_call_input.delta' ? event.delta : [],
    )
    expect(deltas).toEqual(['ls', ' -l "a', '"'])
  })

  test('edge case 21: a call of a tool in a namespace comes back with it', async () => {
    const { response } = await streamed({
      ...scripted({ tool: { name: 'mcp__dict__find', arguments: ['{}'] } }),
      tools: [{ type: 'namespace', name: 'mcp__dict', description: 'Words.', tools: [find] }],
    })
    expect(response.output).toMatchObject([{ type: 'function_call', name: 'find', namespace: 'mcp__dict' }])
  })

  test('a search for tools is an item of its own', async () => {
    const { response } = await streamed({
      ...scripted({ tool: { name: 'tool_search', arguments: ['{"query":"x"}'] } }),
      tools: [{ type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters }],
    })
    expect(response.output).toMatchObject([
      { type: 'tool_search_call', execution: 'client', arguments: { query: 'x' }, status: 'completed' },
    ])
  })

  test('the tools and the choice are repeated as they were sent', async () => {
    const tools = [find, { type: 'web_search' as const }]
    const tool_choice = { type: 'function' as const, name: 'find' }
    const response = await client.responses.create({ ...scripted({ text: 'a' }), tools, tool_choice })
    expect(response.tools as unknown).toEqual(tools)
    expect(response.tool_choice).toEqual(tool_choice)
  })
})

test('edge case 45: responses.parse reads an answer of the schema', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const format = makeParseableTextFormat<{ city: string }>(
    { type: 'json_schema', name: 'answer', schema, strict: false },
    (content) => JSON.parse(content),
  )
  const response = await client.responses.parse({
    ...scripted({ text: '{"city":' }, { text: '"Oslo"}' }),
    text: { format, verbosity: 'low' },
  })
  expect(response.output_parsed).toEqual({ city: 'Oslo' })
})

test('edge case 42: an answer that a limit cuts is incomplete, with whole numbers in usage', async () => {
  const { response } = await streamed({ model: 'fake', input: 'one two three', max_output_tokens: 2 })
  expect(response.status).toBe('incomplete')
  expect(response.incomplete_details).toEqual({ reason: 'max_output_tokens' })
  expect(response.output_text).toBe('one two ')
  expect(response.usage).toEqual({
    input_tokens: 5,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 2,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 7,
  })
})

test('edge case 33: an engine that dies leaves a failed response with what there was', async () => {
  const { types, response } = await streamed(scripted({ text: 'Hal' }, { text: 'f' }, { crash: 'exit' }))
  expect(types.at(-1)).toBe('response.failed')
  expect(response.status).toBe('failed')
  expect(response.error?.code).toBe('server_error')
  expect(response.output_text).toBe('Half')
})

test('edge case 17: refusals are the errors of the client, with codes that are texts', async () => {
  const failure = client.responses.create({ model: 'fake', input: 'x', previous_response_id: 'resp_1' })
  expect(await failure.catch((error: unknown) => error)).toMatchObject({
    status: 400,
    code: 'unsupported_parameter',
    param: 'previous_response_id',
    type: 'invalid_request_error',
    requestID: expect.stringMatching(/^req_/),
  })
  expect(await client.responses.retrieve('resp_1').catch((error: unknown) => error)).toMatchObject({
    status: 404,
    code: 'not_supported',
  })
})

test('input tokens are counted', async () => {
  const count = await client.responses.inputTokens.count({ model: 'fake', input: '{"script":[],"promptTokens":9}' })
  expect(count).toEqual({ object: 'response.input_tokens', input_tokens: 9 })
})

test('log probabilities come where they are asked for', async () => {
  const response = await client.responses.create({
    model: 'fake',
    input: JSON.stringify({ script: [{ echoRequest: true }] }),
    include: ['message.output_text.logprobs'],
    top_logprobs: 3,
  })
  expect(JSON.parse(response.output_text).topLogprobs).toBe(3)
})
