/** The stock client against the whole program as shipped: a server process, a llama.cpp child, the starter model. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai'
import OpenAI, {
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
} from 'openai'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'
import { until } from '../testing/until.ts'
import type { ModelObject } from '../wire/models.ts'

const model = 'inferd/starter-chat'
const messages = [{ role: 'user' as const, content: 'Hello! What are you?' }]
/** Bias against the model's control tokens, so that it does not stop by itself */
const endless = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [String(2036 + index), -100]))
const long = { model, messages, logit_bias: endless, max_tokens: 30_000, stream: true as const }

let served: ServedProcess
let client: OpenAI

beforeAll(async () => {
  served = await startServedProcess()
  client = new OpenAI({ baseURL: served.baseUrl, apiKey: served.key, maxRetries: 0 })
}, 60_000)
afterAll(() => served[Symbol.asyncDispose](), 60_000)

/** Returns the number of requests in the engine now. */
async function running(): Promise<number> {
  return (await served.status()).engines.reduce((sum, engine) => sum + engine.running + engine.waiting, 0)
}

async function gather(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
  return text
}

describe('answers', () => {
  test('edge case 11: the first request loads the model and is answered, however many tokens it may have', async () => {
    const completion = await client.chat.completions.create({ model, messages, max_tokens: 64_000_000 })
    const [choice] = completion.choices
    expect(choice?.message.content?.trim()).not.toBe('')
    expect(choice?.message).toMatchObject({ role: 'assistant', refusal: null })
    expect(choice?.logprobs).toBeNull()
    expect(['stop', 'length']).toContain(choice?.finish_reason ?? '')
    expect(completion).toMatchObject({ object: 'chat.completion', model })
    const { prompt_tokens, completion_tokens, total_tokens } = completion.usage ?? {}
    expect(total_tokens).toBe(Number(prompt_tokens) + Number(completion_tokens))
  }, 60_000)

  test('edge case 19: the same seed gives the same text and usage, whole, streamed and through the helper', async () => {
    const request = { model, messages, temperature: 1.5, seed: 42, max_tokens: 40 }
    const whole = await client.chat.completions.create(request)
    const raw = await client.chat.completions.create({ ...request, stream: true })
    const helper = client.chat.completions.stream({ ...request, stream_options: { include_usage: true } })
    const final = await helper.finalChatCompletion()
    const text = whole.choices[0]?.message.content ?? ''
    expect(await gather(raw)).toBe(text)
    expect(final.choices[0]?.message.content).toBe(text)
    expect(final.choices[0]?.finish_reason ?? null).toBe(whole.choices[0]?.finish_reason ?? null)
    expect(final.usage?.completion_tokens).toBe(whole.usage?.completion_tokens ?? -1)
  })

  test('several choices are told apart by index and their tokens are counted together', async () => {
    const { choices, usage } = await client.chat.completions.create({ model, messages, n: 3, max_tokens: 5 })
    expect(choices.map((choice) => choice.index)).toEqual([0, 1, 2])
    expect(usage?.completion_tokens).toBeGreaterThan(5)
    expect(usage?.completion_tokens).toBeLessThanOrEqual(15)
  })

  test('edge case 15: several choices stream interleaved, each with role and finish', async () => {
    const stream = client.chat.completions.stream({ model, messages, n: 2, max_tokens: 5, seed: 1 })
    const { choices } = await stream.finalChatCompletion()
    expect(choices.map((choice) => [choice.index, choice.message.role])).toEqual([
      [0, 'assistant'],
      [1, 'assistant'],
    ])
  })

  test('edge case 16: the bytes of the log probabilities spell the answer', async () => {
    const request = { model, messages, logprobs: true, top_logprobs: 3, max_tokens: 30, temperature: 0 }
    const { choices } = await client.chat.completions.create(request)
    const tokens = choices[0]?.logprobs?.content ?? []
    const bytes = tokens.flatMap((token) => token.bytes ?? [])
    expect(new TextDecoder().decode(new Uint8Array(bytes))).toStartWith(choices[0]?.message.content ?? 'nothing')
    for (const token of tokens) {
      expect(token.logprob).toBeLessThanOrEqual(0)
      expect(token.top_logprobs).toHaveLength(3)
      expect(token.top_logprobs[0]?.token).toBe(token.token)
    }
  })

  test('edge case 9: a stop string ends the answer, wherever its tokens end, and is not part of it', async () => {
    const request = { model, messages, temperature: 0, max_tokens: 64 }
    const free = (await client.chat.completions.create(request)).choices[0]?.message.content ?? ''
    // The middle of the answer's text, which crosses a token border in any case.
    const stop = free.slice(4, 9)
    const { choices } = await client.chat.completions.create({ ...request, stop: [stop] })
    expect(choices[0]?.message.content).toBe(free.slice(0, free.indexOf(stop)))
    expect(choices[0]?.finish_reason).toBe('stop')
    const streamed = await client.chat.completions.create({ ...request, stop, stream: true })
    expect(await gather(streamed)).toBe(free.slice(0, free.indexOf(stop)))
  })

  test('edge case 8: characters of several bytes arrive whole', async () => {
    const request = { model, messages, temperature: 2, seed: 3, max_tokens: 200, logit_bias: endless }
    const whole = (await client.chat.completions.create(request)).choices[0]?.message.content ?? ''
    const streamed = await gather(await client.chat.completions.create({ ...request, stream: true }))
    expect(streamed).toBe(whole)
    expect(whole.isWellFormed()).toBe(true)
  })

  test('edge case 18: roles in any order and a developer message are answered', async () => {
    const { choices } = await client.chat.completions.create({
      model,
      messages: [
        { role: 'assistant', content: 'Earlier.' },
        { role: 'user', content: 'One.' },
        { role: 'user', content: [{ type: 'text', text: 'Two.' }] },
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'Three.' },
      ],
      max_tokens: 10,
    })
    expect(choices).toHaveLength(1)
  })

  test('a prompt that came before is counted as cached', async () => {
    const conversation = [{ role: 'user' as const, content: 'Tell me about the sea, please. '.repeat(20) }]
    const ask = () => client.chat.completions.create({ model, messages: conversation, max_tokens: 3 })
    await ask()
    const { usage } = await ask()
    const cached = usage?.prompt_tokens_details?.cached_tokens ?? 0
    expect(cached).toBeGreaterThan(50)
    expect(cached).toBeLessThanOrEqual(usage?.prompt_tokens ?? 0)
  })
})

const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'Tells the weather of a city.',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', enum: ['Oslo', 'Rome'] },
        days: { type: 'integer', minimum: 1, maximum: 7 },
      },
      required: ['city', 'days'],
      additionalProperties: false,
    },
  },
}
const now = { type: 'function' as const, function: { name: 'now', description: 'Tells the time.' } }
const named = (name: string) => ({ type: 'function' as const, function: { name } })
const question = [{ role: 'user' as const, content: 'What is the weather in Oslo?' }]
const forced = { model, messages: question, tools: [weather, now], max_tokens: 200, seed: 1 }

/** Returns the arguments of an answer's only call, checked against the schema of `weather`. */
function weatherArguments(message: OpenAI.ChatCompletionMessage | undefined): string {
  const [call, ...others] = message?.tool_calls ?? []
  expect(others).toEqual([])
  if (call?.type !== 'function') throw new Error('there is no call of a function')
  expect(call.function.name).toBe('weather')
  const input = JSON.parse(call.function.arguments)
  expect(Object.keys(input).toSorted()).toEqual(['city', 'days'])
  expect(['Oslo', 'Rome']).toContain(input.city)
  expect([1, 2, 3, 4, 5, 6, 7]).toContain(input.days)
  return call.function.arguments
}

describe('tools', () => {
  test('edge case 5: a forced call keeps to the schema and finishes as tool_calls, at any temperature', async () => {
    for (const temperature of [0, 2]) {
      const { choices } = await client.chat.completions.create({
        ...forced,
        temperature,
        tool_choice: named('weather'),
      })
      weatherArguments(choices[0]?.message)
      expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } })
    }
  })

  test('a streamed call is the same as a whole one, and its arguments come in pieces', async () => {
    const request = { ...forced, tool_choice: named('weather'), temperature: 0 }
    const whole = weatherArguments((await client.chat.completions.create(request)).choices[0]?.message)
    const stream = client.chat.completions.stream(request)
    let pieces = 0
    stream.on('tool_calls.function.arguments.delta', ({ arguments_delta }) => {
      if (arguments_delta !== '') pieces++
    })
    expect(weatherArguments((await stream.finalChatCompletion()).choices[0]?.message)).toBe(whole)
    expect(pieces).toBeGreaterThan(3)
  })

  test('edge case 4: a forced call without arguments has an empty object', async () => {
    const { choices } = await client.chat.completions.create({ ...forced, tool_choice: named('now') })
    const [call] = choices[0]?.message.tool_calls ?? []
    expect(call).toMatchObject({ type: 'function', function: { name: 'now', arguments: '{}' } })
  })

  test('one of the allowed tools is called when a call is required', async () => {
    const { choices } = await client.chat.completions.create({
      ...forced,
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [named('weather')] } },
    })
    weatherArguments(choices[0]?.message)
  })

  test('no call comes back when none may', async () => {
    const { choices } = await client.chat.completions.create({ ...forced, tool_choice: 'none' })
    expect(choices[0]?.message.tool_calls).toBeUndefined()
    expect(choices[0]?.finish_reason).not.toBe('tool_calls')
  })

  test('every choice makes a call of its own', async () => {
    const { choices } = await client.chat.completions.create({ ...forced, n: 3, tool_choice: named('weather') })
    for (const choice of choices) weatherArguments(choice.message)
    expect(new Set(choices.map(({ message }) => message.tool_calls?.[0]?.id)).size).toBe(3)
  })

  test('a call that is cut by the limit finishes as length', async () => {
    const { choices } = await client.chat.completions.create({
      ...forced,
      tool_choice: named('weather'),
      max_tokens: 12,
    })
    expect(choices[0]?.finish_reason).toBe('length')
  })

  test('the tool runner runs the function that the model calls', async () => {
    const parse = JSON.parse
    const runner = client.chat.completions.runTools({
      ...forced,
      tool_choice: named('weather'),
      tools: [{ type: 'function', function: { ...weather.function, parse, function: () => '12 degrees' } }],
    })
    expect(await runner.finalFunctionToolCallResult()).toBe('12 degrees')
  })

  test('edge case 12: a history of broken calls and results of unknown calls is answered', async () => {
    const call = (id: string, text: string) => ({
      ...named('weather'),
      id,
      function: { name: 'weather', arguments: text },
    })
    const { choices } = await client.chat.completions.create({
      model,
      max_tokens: 20,
      messages: [
        ...question,
        { role: 'assistant', content: null, tool_calls: [call('a', '{"cmd": '), call('a', '')] },
        { role: 'tool', tool_call_id: 'unknown', content: [{ type: 'text', text: '12 degrees' }] },
        ...question,
      ],
    })
    expect(choices).toHaveLength(1)
  })
})

describe('answers in a form', () => {
  const schema = {
    type: 'object',
    properties: {
      city: { enum: ['Oslo', 'Rome'] },
      sure: { type: 'boolean' },
      size: { type: 'integer', minimum: 1, maximum: 9 },
    },
    required: ['city', 'sure', 'size'],
    additionalProperties: false,
  }
  const answer = {
    city: expect.stringMatching(/^(Oslo|Rome)$/),
    sure: expect.any(Boolean),
    size: expect.any(Number),
  }
  const format = { type: 'json_schema' as const, json_schema: { name: 'city', strict: true, schema } }

  test('edge case 14: the parse helper reads an answer that keeps to the schema, at any temperature', async () => {
    for (const temperature of [0, 2]) {
      const { choices } = await client.chat.completions.parse({
        model,
        messages: question,
        temperature,
        max_tokens: 200,
        response_format: format,
      })
      expect(choices[0]?.message.parsed).toEqual(answer)
    }
  })

  test('the schema holds after thinking', async () => {
    const { choices } = await client.chat.completions.parse({
      model,
      messages: question,
      max_tokens: 300,
      reasoning_effort: 'low',
      response_format: format,
    })
    expect(choices[0]?.message.parsed).toEqual(answer)
  })

  test('with tools there, the answer keeps to the schema or is a call', async () => {
    const { choices } = await client.chat.completions.create({ ...forced, response_format: format })
    const [choice] = choices
    if (choice?.finish_reason === 'tool_calls') expect(choice.message.tool_calls).not.toEqual([])
    else expect(JSON.parse(choice?.message.content ?? '')).toEqual(answer)
  })
})

describe('thinking', () => {
  /** Returns the reasoning. The client passes on this field, which its types lack. */
  function thoughtOf(message: OpenAI.ChatCompletionMessage | undefined): string {
    return message !== undefined && 'reasoning_content' in message ? String(message.reasoning_content) : ''
  }

  async function thinking(fields: object): Promise<unknown[]> {
    const { choices, usage } = await client.chat.completions.create({
      model,
      messages: question,
      temperature: 0,
      max_tokens: 200,
      ...fields,
    })
    const message = choices[0]?.message ?? {}
    const shown = 'reasoning_content' in message && String(message.reasoning_content).trim() !== ''
    return [shown, (usage?.completion_tokens_details?.reasoning_tokens ?? 0) > 0]
  }

  test.each<[object, boolean, boolean]>([
    [{}, false, false],
    [{ reasoning_effort: 'none' }, false, false],
    [{ reasoning_effort: 'low' }, true, true],
    [{ reasoning: { enabled: true } }, true, true],
    [{ reasoning: { enabled: true, exclude: true } }, false, true],
    [{ chat_template_kwargs: { enable_thinking: true } }, true, true],
  ])('edge case 20: with %j it is shown: %p, counted: %p', async (fields, isShown, isCounted) => {
    expect(await thinking(fields)).toEqual([isShown, isCounted])
  })

  test('edge case 9: a stop string within thinking does not count', async () => {
    const request = { model, messages: question, temperature: 0, max_tokens: 200, reasoning_effort: 'low' as const }
    const free = (await client.chat.completions.create(request)).choices[0]
    const text = free?.message.content ?? ''
    const thought = thoughtOf(free?.message)
    const stop = thought.split(/\s+/).find((word) => word !== '' && !text.includes(word))
    if (stop === undefined) throw new Error(`every word of ${thought} is in ${text}`)
    const stopped = (await client.chat.completions.create({ ...request, stop: [stop] })).choices[0]
    expect([thoughtOf(stopped?.message), stopped?.message.content ?? '']).toEqual([thought, text])
  })

  test('edge case 10: thinking that is cut is no content', async () => {
    const { choices } = await client.chat.completions.create({
      model,
      messages: question,
      temperature: 0,
      max_tokens: 3,
      reasoning_effort: 'high',
    })
    expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: '' } })
  })
})

describe('the Vercel AI SDK', () => {
  const city = jsonSchema<{ city: string; days: number }>({ ...weather.function.parameters, type: 'object' })
  const settings = () => ({
    model: createOpenAICompatible({
      name: 'inferd',
      baseURL: served.baseUrl,
      apiKey: served.key,
      supportsStructuredOutputs: true,
    })(model),
    prompt: 'What is the weather in Oslo?',
    maxOutputTokens: 200,
    maxRetries: 0,
    seed: 1,
  })

  test('runs the tool that the model calls, streamed or not', async () => {
    const tools = { weather: tool({ inputSchema: city, execute: async () => '12 degrees' }) }
    const options = { ...settings(), tools, toolChoice: 'required' as const, stopWhen: stepCountIs(1) }
    const whole = await generateText(options)
    expect(whole.toolResults[0]?.output).toBe('12 degrees')
    expect(whole.finishReason).toBe('tool-calls')
    const streamed = streamText(options)
    expect((await streamed.toolResults)[0]?.output).toBe('12 degrees')
    expect(await streamed.finishReason).toBe('tool-calls')
  })

  test('generates an object', async () => {
    const { output } = await generateText({ ...settings(), output: Output.object({ schema: city }) })
    expect(['Oslo', 'Rome']).toContain(output.city)
  })
})

describe('models', () => {
  test('the list has the starter model, ready, and its alias', async () => {
    const list = await client.models.list()
    const rows = list.data as unknown as readonly ModelObject[] // more fields than the client's types know
    const starter = rows.find((row) => row.id === model)
    expect(starter).toMatchObject({
      object: 'model',
      owned_by: 'inferd',
      type: 'vision',
      status: 'ready',
      canonical: model,
    })
    expect(starter?.context_length).toBeGreaterThanOrEqual(32_768)
    const alias = rows.find((row) => row.id === starter?.aliases?.[0])
    expect(alias).toMatchObject({ canonical: model, status: 'ready' })
  })

  test('one model is found by id and by alias', async () => {
    expect(await client.models.retrieve(model)).toMatchObject({ id: model, object: 'model' })
    expect(await client.models.retrieve('starter-chat')).toMatchObject({ id: 'starter-chat', canonical: model })
  })
})

describe('errors', () => {
  async function failure(work: Promise<unknown>): Promise<unknown> {
    return work.then(
      () => 'it succeeded',
      (error: unknown) => error,
    )
  }

  test('a wrong key is an AuthenticationError', async () => {
    const stranger = client.withOptions({ apiKey: 'sk-inferd-wrong' })
    const error = await failure(stranger.chat.completions.create({ model, messages }))
    expect(error).toBeInstanceOf(AuthenticationError)
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'authentication_error' })
  })

  test('an unknown model is a NotFoundError, in chat and in models, streamed or not', async () => {
    for (const work of [
      client.chat.completions.create({ model: 'no/such', messages }),
      client.chat.completions.create({ model: 'no/such', messages, stream: true }),
      client.models.retrieve('no/such'),
    ]) {
      const error = await failure(work)
      expect(error).toBeInstanceOf(NotFoundError)
      expect(error).toMatchObject({
        code: 'model_not_found',
        param: 'model',
        requestID: expect.stringMatching(/^req_/),
      })
    }
  })

  test('a wrong field is a BadRequestError that names it', async () => {
    const error = await failure(client.chat.completions.create({ model, messages, temperature: 3 }))
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error).toMatchObject({ status: 400, code: 'invalid_value', param: 'temperature' })
  })

  test('a conversation beyond the context is a BadRequestError with both numbers', async () => {
    const content = 'word '.repeat(60_000)
    const error = await failure(client.chat.completions.create({ model, messages: [{ role: 'user', content }] }))
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error).toMatchObject({ code: 'context_length_exceeded' })
    expect(String(error)).toMatch(/maximum context length is \d+ tokens. However, your messages resulted in \d+ tokens/)
  }, 60_000)

  test('a token id that the model does not have is a BadRequestError', async () => {
    const error = await failure(client.chat.completions.create({ model, messages, logit_bias: { 999999: 1 } }))
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error).toMatchObject({ code: 'invalid_value', param: 'logit_bias' })
  })

  test('aborting in the middle frees the place in the engine', async () => {
    const stream = await client.chat.completions.create(long)
    const text: string[] = []
    const thrown = await failure(
      (async () => {
        for await (const chunk of stream) {
          text.push(chunk.choices[0]?.delta.content ?? '')
          if (text.length === 10) stream.controller.abort()
        }
      })(),
    )
    // The client's own loop ends quietly or with its abort error. The engine must notice in both cases.
    expect(thrown === 'it succeeded' || thrown instanceof APIUserAbortError).toBe(true)
    await until('no request is running', running, (count) => count === 0)
    expect(text.length).toBeLessThan(20_000)
  }, 60_000)

  test('leaving the loop frees the place in the engine', async () => {
    for await (const chunk of await client.chat.completions.create(long)) if (chunk.choices[0]?.delta.content) break
    await until('no request is running', running, (count) => count === 0)
  }, 60_000)

  test('killing the engine under four streams fails each of them, and nothing else', async () => {
    const streams = await Promise.all(Array.from({ length: 4 }, () => client.chat.completions.create(long)))
    const begun = streams.map(() => Promise.withResolvers<void>())
    const ends = streams.map((stream, index) =>
      failure(
        (async () => {
          for await (const chunk of stream) if (chunk.choices[0]?.delta.content) begun[index]?.resolve()
        })(),
      ),
    )
    await Promise.all(begun.map((one) => one.promise))
    const before = await served.status()
    const enginePid = before.engines[0]?.pid
    if (enginePid === undefined) throw new Error('the engine does not run')
    process.kill(enginePid, 'SIGKILL')
    for (const error of await Promise.all(ends)) {
      expect(error).toBeInstanceOf(APIError)
      expect(error).toMatchObject({ code: 'engine_failed', type: 'server_error' })
    }
    const next = await client.chat.completions.create({ model, messages, max_tokens: 5 })
    expect(next.choices).toHaveLength(1)
    const after = await served.status()
    expect(after.pid).toBe(served.pid)
    expect(after.engines[0]).toMatchObject({ restarts: 1, state: 'ready' })
    expect(after.engines[0]?.pid).not.toBe(enginePid)
  }, 60_000)

  test('a request whose engines are killed twice before it answers is an InternalServerError', async () => {
    const answer = failure(client.chat.completions.create({ ...long, stream: false }))
    const killed = new Set<number>()
    while (killed.size < 2) {
      const [engine] = (await served.status()).engines
      if (engine?.pid === undefined || engine.running === 0 || killed.has(engine.pid)) continue
      process.kill(engine.pid, 'SIGKILL')
      killed.add(engine.pid)
    }
    const error = await answer
    expect(error).toBeInstanceOf(InternalServerError)
    expect(error).toMatchObject({ status: 502, code: 'engine_failed' })
  }, 60_000)
})

test('a tool that is named is called once, whole and streamed; one that is only required may be called more often', async () => {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string', maxLength: 12 } },
    required: ['city'],
    additionalProperties: false,
  }
  const request = {
    model,
    messages: [
      { role: 'user' as const, content: 'What is the weather in Oslo, Paris and Rome? Look for each of them.' },
    ],
    tools: [{ type: 'function' as const, function: { name: 'get_weather', description: 'Weather', parameters } }],
    reasoning_effort: 'none' as const,
    temperature: 1.5,
    max_tokens: 200,
  }
  const named = { ...request, tool_choice: { type: 'function' as const, function: { name: 'get_weather' } } }
  const counts = { named: new Set<number>(), required: new Set<number>() }
  for (const seed of [1, 2, 3]) {
    const whole = await client.chat.completions.create({ ...named, seed })
    counts.named.add(whole.choices[0]?.message.tool_calls?.length ?? 0)
    const stream = client.chat.completions.stream({ ...named, seed })
    const [first] = await Array.fromAsync(stream)
    expect(first?.choices[0]?.delta).toMatchObject({ role: 'assistant', content: null, tool_calls: [{ index: 0 }] })
    counts.named.add((await stream.finalMessage()).tool_calls?.length ?? 0)
    const any = await client.chat.completions.create({ ...request, tool_choice: 'required', seed })
    counts.required.add(any.choices[0]?.message.tool_calls?.length ?? 0)
  }
  expect([...counts.named]).toEqual([1])
  expect(Math.max(...counts.required)).toBeGreaterThan(1)
}, 60_000)
