/** The stock client against scripted engines: cases that only a script can produce. */
import { afterAll, expect, test } from 'bun:test'
import OpenAI, { APIError } from 'openai'
import { plainMessages } from '../testing/plain-messages.ts'
import { startTestServer } from '../testing/test-server.ts'

const server = startTestServer({ parallel: 8, config: { keepAliveMs: 10 } })
afterAll(() => server[Symbol.asyncDispose]())

const client = new OpenAI({ baseURL: server.baseUrl, apiKey: server.keys.valid, maxRetries: 0 })

function scripted(...actions: unknown[]) {
  return { model: 'fake', messages: [{ role: 'user' as const, content: JSON.stringify({ script: actions }) }] }
}

test('edge case 7: the streaming helper gathers text, usage and the finish reason, comments in between or not', async () => {
  const stream = client.chat.completions.stream({
    ...scripted({ text: 'Hel' }, { delayMs: 40 }, { text: 'lo 🙂' }),
    stream_options: { include_usage: true },
  })
  const completion = await stream.finalChatCompletion()
  expect(completion.choices[0]?.message.content).toBe('Hello 🙂')
  expect(completion.choices[0]?.finish_reason).toBe('stop')
  expect(completion.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 })
})

test('edge case 4: the streaming helper gathers calls, one without arguments among them', async () => {
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
    // The client passes on this field, which its types lack.
    const delta = chunk.choices[0]?.delta as { reasoning_content?: string } | undefined
    reasoning += delta?.reasoning_content ?? ''
  }
  expect(reasoning).toBe('Hm, yes')
})

test('it comes in OpenRouter’s fields too where the server is set so', async () => {
  await using other = startTestServer({ config: { repeatsReasoning: true } })
  const own = new OpenAI({ baseURL: other.baseUrl, apiKey: other.keys.valid, maxRetries: 0 })
  const request = scripted({ reasoning: 'Hm' }, { text: 'Yes.' })
  const thought = {
    reasoning_content: 'Hm',
    reasoning: 'Hm',
    reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }],
  }
  const whole = await own.chat.completions.create(request)
  expect(whole.choices[0]?.message).toMatchObject(thought)
  const stream = await Array.fromAsync(await own.chat.completions.create({ ...request, stream: true }))
  expect(stream[0]?.choices[0]?.delta).toMatchObject(thought)
})

test('edge case 6: an error in the middle of a stream is thrown with its message and code', async () => {
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

const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'Tells the weather.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const callWeather = { tool: { name: 'weather', arguments: ['{"city"', ':"Oslo"}'] } }

test('edge case 2: the first delta of a raw stream has the role, also before a call', async () => {
  const stream = await client.chat.completions.create({ ...scripted(callWeather), tools: [weather], stream: true })
  const deltas = (await Array.fromAsync(stream)).map((chunk) => chunk.choices[0]?.delta)
  const [start, ...rest] = deltas
  expect(start).toMatchObject({ role: 'assistant', content: null })
  expect(start?.tool_calls).toEqual([
    {
      index: 0,
      id: expect.stringMatching(/^call_[0-9A-Za-z]{24}$/),
      type: 'function',
      function: { name: 'weather', arguments: '' },
    },
  ])
  expect(rest.map((delta) => delta?.tool_calls?.[0])).toEqual([
    { index: 0, function: { arguments: '{"city"' } },
    { index: 0, function: { arguments: ':"Oslo"}' } },
    undefined,
  ])
})

test('edge case 5: an answer with a call finishes as tool_calls, also when the call was forced; a cut one as length', async () => {
  const body = JSON.stringify({ script: [callWeather], finish: 'tool-calls' })
  const messages = [{ role: 'user' as const, content: body }]
  const named = { type: 'function' as const, function: { name: 'weather' } }
  for (const tool_choice of ['auto', 'required', named] as const) {
    const { choices } = await client.chat.completions.create({ model: 'fake', messages, tools: [weather], tool_choice })
    expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } })
  }
  const cut = body.replace('tool-calls', 'length')
  const { choices } = await client.chat.completions.create({
    model: 'fake',
    messages: [{ role: 'user', content: cut }],
    tools: [weather],
  })
  expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { tool_calls: [{ type: 'function' }] } })
})

test('the tool runner runs the function, streamed or not', async () => {
  const ran: unknown[] = []
  const tools = [
    {
      type: 'function' as const,
      function: {
        ...weather.function,
        parse: JSON.parse,
        function: (input: unknown) => {
          ran.push(input)
          return '12 degrees'
        },
      },
    },
  ]
  const tool_choice = { type: 'function' as const, function: { name: 'weather' } }
  const request = { ...scripted({ text: 'Look: ' }, callWeather), tools, tool_choice }
  const whole = client.chat.completions.runTools(request)
  expect(await whole.finalFunctionToolCallResult()).toBe('12 degrees')
  const streamed = client.chat.completions.runTools({ ...request, stream: true })
  expect(await streamed.finalFunctionToolCallResult()).toBe('12 degrees')
  expect(ran).toEqual([{ city: 'Oslo' }, { city: 'Oslo' }])
})

test('calls of a custom tool come back with their input as text, streamed as it comes', async () => {
  const tools = [{ type: 'custom' as const, custom: { name: 'patch' } }]
  const request = { ...scripted({ tool: { name: 'patch', arguments: ['{"inp', 'ut":"a\\n', 'b"}'] } }), tools }
  const { choices } = await client.chat.completions.create(request)
  expect(choices[0]?.message.tool_calls).toEqual([
    { id: expect.stringMatching(/^call_/), type: 'custom', custom: { name: 'patch', input: 'a\nb' } },
  ])
  const inputs: (string | undefined)[] = []
  for await (const chunk of await client.chat.completions.create({ ...request, stream: true })) {
    // The client's types of deltas have only functions.
    const call = chunk.choices[0]?.delta.tool_calls?.[0] as { custom?: { input: string } } | undefined
    if (call !== undefined) inputs.push(call.custom?.input)
  }
  expect(inputs).toEqual(['', 'a\n', 'b'])
})

test('a function is called as before there were tools, whole, streamed and by the streaming helper', async () => {
  const request = {
    model: 'fake',
    messages: [{ role: 'user' as const, content: JSON.stringify({ script: [callWeather], finish: 'tool-calls' }) }],
    functions: [{ name: 'weather', parameters: weather.function.parameters }],
    function_call: { name: 'weather' },
  }
  const called = { name: 'weather', arguments: '{"city":"Oslo"}' }
  const { choices } = await client.chat.completions.create(request)
  expect(choices[0]).toMatchObject({
    message: { content: null, function_call: called },
    finish_reason: 'function_call',
  })
  const helped = await client.chat.completions.stream(request).finalChatCompletion()
  expect(helped.choices[0]).toMatchObject({ message: { function_call: called }, finish_reason: 'function_call' })
  const names: string[] = []
  for await (const chunk of await client.chat.completions.create({ ...request, stream: true })) {
    names.push(...[chunk.choices[0]?.delta.function_call?.name ?? []].flat())
  }
  expect(names).toEqual(['weather'])
  const messages = [
    ...request.messages,
    { role: 'assistant' as const, content: null, function_call: called },
    { role: 'function' as const, name: 'weather', content: '12 degrees' },
  ]
  const next = await client.chat.completions.create({ ...request, messages, function_call: 'none' })
  expect(next.choices[0]?.finish_reason).toBeString()
})

test('the parse helper reads an answer that keeps to a schema', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const completion = await client.chat.completions.parse({
    ...scripted({ text: '{"city":' }, { text: '"Oslo"}' }),
    response_format: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } },
  })
  expect(completion.choices[0]?.message.parsed).toEqual({ city: 'Oslo' })
})

test('a call and its result go back into the conversation as they came', async () => {
  const first = await client.chat.completions.create({ ...scripted(callWeather), tools: [weather] })
  const message = first.choices[0]?.message
  const call = message?.tool_calls?.[0]
  if (message === undefined || call === undefined) throw new Error('there was no call')
  const next = await client.chat.completions.create({
    model: 'fake',
    tools: [weather],
    messages: [
      message,
      { role: 'tool', tool_call_id: call.id, content: [{ type: 'text', text: '12 degrees' }] },
      ...scripted({ echoRequest: true }).messages,
    ],
  })
  expect(plainMessages(JSON.parse(next.choices[0]?.message.content ?? '').messages).slice(0, 2)).toEqual([
    { role: 'assistant', content: '', toolCalls: [{ id: call.id, name: 'weather', argumentsText: '{"city":"Oslo"}' }] },
    { role: 'tool', content: '12 degrees', toolCallId: call.id },
  ])
})

test('excluded thinking is counted and not shown, streamed or not', async () => {
  const request = { ...scripted({ reasoning: 'Hm' }, { text: 'Yes.' }), reasoning: { exclude: true } }
  const whole = await client.chat.completions.create(request)
  expect(whole.choices[0]?.message).toEqual({ role: 'assistant', content: 'Yes.', refusal: null })
  expect(whole.usage?.completion_tokens_details?.reasoning_tokens).toBe(1)
  const stream = await client.chat.completions.create({ ...request, stream: true })
  const deltas = (await Array.fromAsync(stream)).map((chunk) => chunk.choices[0]?.delta)
  expect(deltas).toEqual([{ role: 'assistant', content: '' }, { content: 'Yes.' }, {}])
})

test.each<[string, object, number]>([
  ['a wrong field', { temperature: 9 }, 400],
  ['an unknown model', { model: 'no/such' }, 404],
  ['a failure of the engine', scripted({ error: { kind: 'engine', code: 'engine_failed', message: 'It died.' } }), 502],
])('edge case 17: the code of %s is a text, never a number', async (_, fields, status) => {
  const body = { ...scripted({ text: 'x' }), ...fields }
  const error = await client.chat.completions.create(body).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ status, code: expect.stringMatching(/^[a-z_]+$/), error: { code: expect.any(String) } })
})
