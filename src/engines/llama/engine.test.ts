/** The llama engine on the real starter model: policy and native code together. */
import { expect, test } from 'bun:test'
import type { ChatEvent, Sampling, Tool } from '../../core/chat.ts'
import { textContent } from '../../core/content.ts'
import { nothingConsumed } from '../../core/usage.ts'
import { endBias, type Question, type Reply, startStarterEngine } from '../../testing/starter-engine.ts'

/** Engine for tests that need nothing special. Each request has another account unless it names one. */
let standard: ReturnType<typeof startStarterEngine> | undefined
function standardEngine() {
  standard ??= startStarterEngine()
  return standard
}

/** Sampling under which any token may come next. */
const wild: Sampling = { temperature: 2, topK: 0, topP: 1, minP: 0, seed: 7 }
const warm: Sampling = { temperature: 1.2, seed: 7 }
/** The model is sure of every token of its answer to this text, so that other rounding does not change it. */
const longText = `${'I have a question. '.repeat(40)}Who are you?`

test('answers, stops by itself and counts what it decoded', async () => {
  const { ask } = await standardEngine()
  const { texts, finish, usage } = await ask({ text: 'What is the capital of France?' })
  expect(texts[0]?.length).toBeGreaterThan(0)
  expect(finish).toEqual(['stop'])
  expect(usage.cachedTokens).toBe(0)
  expect(usage.completionTokens).toBeGreaterThan(1)
})

test('stops at max_tokens with finish reason length and exactly that many tokens', async () => {
  const { ask } = await standardEngine()
  const { finish, usage } = await ask({ text: `Repeat: ${longText}`, maxTokens: 3 })
  expect(finish).toEqual(['length'])
  expect(usage.completionTokens).toBe(3)
})

test('a repeated prompt comes from the cache but for its last token', async () => {
  const { ask } = await standardEngine()
  const first = await ask({ text: longText, maxTokens: 20 }, 'acc_repeat')
  const second = await ask({ text: longText, maxTokens: 20 }, 'acc_repeat')
  expect(second.usage.cachedTokens).toBe(first.usage.promptTokens - 1)
  expect(second.texts).toEqual(first.texts)
})

test('the next turn of a conversation finds the last one in the cache', async () => {
  const { ask } = await standardEngine()
  const question = { role: 'user' as const, content: textContent(longText) }
  const first = await ask({ messages: [question], maxTokens: 20 }, 'acc_turns')
  const answer = { role: 'assistant' as const, content: textContent(first.texts[0] ?? '') }
  const last = { role: 'user' as const, content: textContent('And now?') }
  const second = await ask({ messages: [question, answer, last], maxTokens: 20 }, 'acc_turns')
  expect(second.usage.cachedTokens).toBeGreaterThan(first.usage.promptTokens * 0.9)
})

test('a picture is refused and not left out, for an answer and for a count', async () => {
  const { refused, count } = await standardEngine()
  const place = { path: '/spool/a', param: 'messages[0].content[1]' }
  const looks = { width: 1, height: 1, orientation: 1, detail: 'auto' as const }
  const picture = { type: 'image' as const, hash: 'ab', ...place, ...looks }
  const messages = [{ role: 'user' as const, content: [...textContent('What is this?'), picture] }]
  const refusal = { kind: 'invalid_request', code: 'unsupported_content', param: 'messages[0].content[1]' }
  expect(await refused({ messages })).toMatchObject(refusal)
  expect(await count({ messages })).toMatchObject(refusal)
})

test('prompts of an account, or of a salt, are never another’s cache hits, unless the operator shares the cache', async () => {
  const apart = await startStarterEngine()
  await apart.ask({ text: longText, maxTokens: 1 }, 'acc_a')
  expect((await apart.ask({ text: longText, maxTokens: 1 }, 'acc_b')).usage.cachedTokens).toBe(0)
  const salted = { text: longText, maxTokens: 1, cacheSalt: 'one' }
  expect((await apart.ask(salted, 'acc_a')).usage.cachedTokens).toBe(0)
  expect((await apart.ask({ ...salted, cacheSalt: 'two' }, 'acc_a')).usage.cachedTokens).toBe(0)
  expect((await apart.ask(salted, 'acc_a')).usage.cachedTokens).toBeGreaterThan(0)
  const shared = await startStarterEngine({ shareCache: true })
  await shared.ask({ text: longText, maxTokens: 1 }, 'acc_a')
  expect((await shared.ask({ text: longText, maxTokens: 1 }, 'acc_b')).usage.cachedTokens).toBeGreaterThan(0)
})

test('a conversation that made way for others comes back from memory', async () => {
  const { ask, send, cancel, engine } = await startStarterEngine({ parallel: 2 })
  const question = { role: 'user' as const, content: textContent(longText) }
  const first = await ask({ messages: [question], maxTokens: 20 }, 'acc_a')
  // Idle sequences are emptied while another account's request runs.
  const begun = Promise.withResolvers<void>()
  const endless: Sampling = { temperature: 0, logitBias: endBias }
  const { id } = send({ text: 'Hello!', sampling: endless }, 'acc_b', () => begun.resolve())
  await begun.promise
  const again = await ask({ messages: [question], maxTokens: 20 }, 'acc_a')
  expect(again.usage.cachedTokens).toBe(first.usage.promptTokens - 1)
  expect(again.texts).toEqual(first.texts)
  expect(engine.stats().running).toBe(1)
  cancel(id)
})

test('without memory for earlier prompts they are computed again', async () => {
  const { ask, send, cancel } = await startStarterEngine({ parallel: 2, prefixCacheMb: 0 })
  await ask({ text: longText, maxTokens: 1 }, 'acc_a')
  const begun = Promise.withResolvers<void>()
  const endless: Sampling = { temperature: 0, logitBias: endBias }
  const { id } = send({ text: 'Hello!', sampling: endless }, 'acc_b', () => begun.resolve())
  await begun.promise
  expect((await ask({ text: longText, maxTokens: 1 }, 'acc_a')).usage.cachedTokens).toBe(0)
  cancel(id)
})

test('with no memory for them, no request starts from another’s prompt, and choices of one share theirs', async () => {
  const { ask, send, cancel, engine } = await startStarterEngine({ prefixCacheMb: 0 })
  const first = await ask({ text: longText, maxTokens: 5 }, 'acc_a')
  const again = await ask({ text: longText, maxTokens: 5 }, 'acc_a')
  expect([first.usage.cachedTokens, again.usage.cachedTokens]).toEqual([0, 0])
  const begun = Promise.withResolvers<void>()
  const sampling: Sampling = { temperature: 0, logitBias: endBias }
  const { id } = send({ text: longText, sampling }, 'acc_a', ({ type }) => {
    if (type === 'text-delta') begun.resolve() // the prompt is done
  })
  await begun.promise
  const before = engine.stats().decodedPromptTokens
  const beside = await ask({ text: longText, maxTokens: 5, choices: 3 }, 'acc_a')
  expect(beside.usage.cachedTokens).toBe(0)
  expect(engine.stats().decodedPromptTokens - before).toBe(beside.usage.promptTokens)
  expect(beside.texts).toEqual([again.texts[0], again.texts[0], again.texts[0]].map(String))
  cancel(id)
})

test('what a running request has computed serves another that begins alike', async () => {
  const { ask, send, cancel } = await startStarterEngine()
  const system = { role: 'system' as const, content: textContent(longText) }
  const begun = Promise.withResolvers<void>()
  const sampling: Sampling = { temperature: 0, logitBias: endBias }
  const messages = (content: string) => [system, { role: 'user' as const, content: textContent(content) }]
  let events = 0
  const { id } = send({ messages: messages('Hello!'), sampling }, 'acc_a', () => {
    events++
    if (events > 3) begun.resolve() // the prompt is done
  })
  await begun.promise
  const second = await ask({ messages: messages('Who are you?'), maxTokens: 5 }, 'acc_a')
  expect(second.usage.cachedTokens).toBeGreaterThan(second.usage.promptTokens * 0.8)
  cancel(id)
})

test('sequences with room of their own answer like those that share it', async () => {
  const shared = await startStarterEngine({ parallel: 4, contextTokens: 1024 })
  const apart = await startStarterEngine({ parallel: 4, contextTokens: 1024, requestTokens: 256 })
  const questions = ['What is the capital of France?', 'What is the capital of Spain?', 'Who are you?', 'Hello!']
  const ask = (text: string, { ask }: typeof shared) => ask({ text, maxTokens: 40 }, 'acc_a')
  const expected = await Promise.all(questions.map((text) => ask(text, shared)))
  const replies = await Promise.all(questions.map((text) => ask(text, apart)))
  expect(replies.map((reply) => reply.texts)).toEqual(expected.map((reply) => reply.texts))
  // In that engine choices copy a whole sequence.
  const choices = await apart.ask({ text: 'Who are you?', choices: 3, maxTokens: 40 }, 'acc_a')
  expect(new Set(choices.texts)).toEqual(new Set(expected[2]?.texts))
  // A prompt that was displaced by others is found again.
  const long = ['a', 'b'].map((name) => ({ text: `${name}: ${longText.slice(0, 200)}`, maxTokens: 3 }))
  await Promise.all(long.map((request) => apart.ask(request, 'acc_a')))
  const again = await Promise.all(long.map((request) => apart.ask(request, 'acc_a')))
  for (const { usage } of again) expect(usage.cachedTokens).toBe(usage.promptTokens - 1)
  expect(apart.engine.info.contextTokens).toBe(256)
})

test('same seed, same text; another seed, another text', async () => {
  const request = { text: `Repeat: ${longText}`, sampling: wild, maxTokens: 40 }
  // A text this random depends on the last bits, so each engine is asked once: then both add in the same order.
  const ask = async (sampling: Sampling) => (await (await startStarterEngine()).ask({ ...request, sampling })).texts
  const first = await ask(wild)
  expect(await ask(wild)).toEqual(first)
  expect(await ask({ ...wild, seed: 8 })).not.toEqual(first)
})

test('n choices cost one prompt, and choice i is what seed + i gives alone', async () => {
  const { ask } = await standardEngine()
  const request = { text: 'Hello, who are you?', sampling: warm, maxTokens: 30 }
  const three = await ask({ ...request, choices: 3 })
  expect(three.finish).toHaveLength(3)
  const alone = await Promise.all([0, 1, 2].map((i) => ask({ ...request, sampling: { ...warm, seed: 7 + i } })))
  expect(three.texts).toEqual(alone.map((reply) => reply.texts[0] ?? ''))
  expect(three.usage.promptTokens).toBe(alone[0]?.usage.promptTokens ?? 0)
  expect(three.usage.completionTokens).toBe(alone.reduce((sum, reply) => sum + reply.usage.completionTokens, 0))
})

test('n choices without a seed are different answers', async () => {
  const { ask } = await standardEngine()
  const { texts } = await ask({
    text: `Repeat: ${longText}`,
    sampling: { ...wild, seed: undefined },
    choices: 4,
    maxTokens: 40,
  })
  expect(new Set(texts).size).toBeGreaterThan(1)
})

test('more answers than a batch was set to hold are decoded side by side', async () => {
  const { ask, engine } = await startStarterEngine({ parallel: 40, contextTokens: 4096, batchTokens: 32 })
  const endless: Sampling = { temperature: 2, logitBias: endBias }
  const requests = Array.from({ length: 5 }, () => ask({ sampling: endless, choices: 8, maxTokens: 30 }))
  for (const { usage } of await Promise.all(requests)) expect(usage.completionTokens).toBe(8 * 30)
  expect(engine.stats()).toMatchObject({ running: 0, waiting: 0 })
})

test('greedy answers do not depend on who is served beside them', async () => {
  const { ask } = await standardEngine()
  const questions = [
    'What is the capital of France?',
    'What is the capital of Spain?',
    'Who are you?',
    'Hello!',
    longText,
  ]
  const alone: string[][] = []
  for (const text of questions) alone.push((await ask({ text, maxTokens: 40 })).texts)
  const together = await Promise.all(questions.map((text, index) => ask({ text, maxTokens: 40 }, `acc_${index}`)))
  expect(together.map((reply) => reply.texts)).toEqual(alone)
})

test('a stop string ends the answer before it and is named', async () => {
  const { ask } = await standardEngine()
  const whole = (await ask({ text: 'What is the capital of France?' })).texts[0] ?? ''
  const stop = whole.slice(5, 9)
  const { texts, finish, events } = await ask({ text: 'What is the capital of France?', stop: [stop] })
  expect(texts[0]).toBe(whole.slice(0, whole.indexOf(stop)))
  expect(finish).toEqual(['stop'])
  expect(events.at(-2)).toMatchObject({ type: 'choice-finish', stopString: stop })
})

test('a prompt longer than the context is refused with both numbers', async () => {
  const { refused } = await startStarterEngine({ contextTokens: 256 })
  const error = await refused({ text: longText.repeat(4) })
  expect(error).toMatchObject({ kind: 'invalid_request', code: 'context_length_exceeded', param: 'messages' })
  expect(error.message).toMatch(/maximum context length is 256 tokens.*resulted in \d{3,} tokens/)
})

test('counting a prompt gives what asking gives, and longer ones too', async () => {
  const { ask, count } = await startStarterEngine({ contextTokens: 256 })
  const { usage } = await ask({ text: 'Hello!', maxTokens: 1 })
  expect(await count({ text: 'Hello!' })).toEqual([
    { type: 'start', promptTokens: usage.promptTokens, cachedTokens: 0 },
    { type: 'finish', usage: nothingConsumed },
  ])
  const [long] = (await count({ text: longText.repeat(4) })) as ChatEvent[] // an error has no first element
  expect(long?.type === 'start' && long.promptTokens).toBeGreaterThan(256)
  expect(await count({ text: longText.repeat(1000) })).toMatchObject({ code: 'context_length_exceeded' })
})

test('a conversation of more messages than the context has tokens is refused before it is rendered', async () => {
  const { refused } = await startStarterEngine({ contextTokens: 256 })
  const messages = Array.from({ length: 1000 }, () => ({ role: 'user' as const, content: textContent('a') }))
  const error = await refused({ messages })
  expect(error).toMatchObject({ code: 'context_length_exceeded', param: 'messages' })
  expect(error.message).toContain('more than 2000 tokens') // counted by the message, not by the token
})

test('max_tokens beyond the context is clamped to what is left', async () => {
  const { ask } = await startStarterEngine({ contextTokens: 256 })
  const ban = { temperature: 2, seed: 1 }
  const { usage, finish, events } = await ask({
    text: 'Hello!',
    sampling: { ...ban, logitBias: endBias },
    maxTokens: 1e6,
  })
  expect(finish).toEqual(['length'])
  expect(events.at(-2)).toMatchObject({ type: 'choice-finish', isContextFull: true })
  expect(usage.promptTokens + usage.completionTokens).toBe(256)
})

test('more choices than sequences share them, and cost one prompt', async () => {
  const { ask } = await startStarterEngine({ parallel: 2 })
  const request: Question = { text: 'Who are you?', choices: 5, sampling: { temperature: 1, seed: 1 }, maxTokens: 10 }
  const { finish, usage } = await ask(request)
  const alone = await ask({ ...request, choices: 1 })
  expect(finish).toHaveLength(5)
  expect(usage.promptTokens).toBe(alone.usage.promptTokens)
})

test('a cancelled request frees its slot within one step, in the middle of its prompt and of its answer', async () => {
  const { engine, send, cancel, ask } = await startStarterEngine({ batchTokens: 32 })
  const endless: Sampling = { temperature: 2, seed: 1, logitBias: endBias }
  for (const phase of ['start', 'text-delta']) {
    const reached = Promise.withResolvers<void>()
    const { id } = send({ text: longText, sampling: endless }, 'acc_a', () => {
      if (phase === 'start' || engine.stats().steps > 40) reached.resolve()
    })
    await reached.promise
    const before = engine.stats()
    expect(before.running).toBe(1)
    cancel(id)
    expect(engine.stats().running).toBe(0)
    // The request's sequence is free again. At most the step in flight was still decoded for it.
    const next = await ask({ text: 'Hello!', maxTokens: 1 }, 'acc_b')
    const prompt = Math.ceil(next.usage.promptTokens / 32)
    expect(engine.stats().steps - before.steps).toBeLessThanOrEqual(1 + prompt)
  }
})

test('answers that do not fit into the cache together are put off, not lost', async () => {
  const roomy = await startStarterEngine({ parallel: 4, contextTokens: 2048 })
  const tight = await startStarterEngine({ parallel: 4, contextTokens: 256 })
  const logitBias = endBias
  const requests = ['France', 'Spain', 'Italy'].map((country) => ({
    text: `What is the capital of ${country}?`,
    sampling: { temperature: 0, logitBias },
    maxTokens: 120,
  }))
  const expected = await Promise.all(requests.map((request) => roomy.ask(request)))
  const replies = await Promise.all(requests.map((request) => tight.ask(request)))
  expect(replies.map((reply) => reply.usage.completionTokens)).toEqual([120, 120, 120])
  // An answer that may not end wanders, and then depends on the last bits: only its sure beginning must be the same.
  const beginnings = (all: readonly Reply[]) => all.map((reply) => reply.texts[0]?.slice(0, 'The capital of'.length))
  expect(beginnings(replies)).toEqual(beginnings(expected))
  expect(replies.flatMap((reply) => reply.events.filter((event) => event.type === 'start'))).toHaveLength(3)
})

test('more requests than sequences wait their turn, accounts alternating', async () => {
  const { send, engine } = await startStarterEngine({ parallel: 1 })
  const order: string[] = []
  const sent = ['a1', 'a2', 'a3', 'b1'].map((name) =>
    send({ text: name, maxTokens: 2 }, name.slice(0, 1)).ended.then(() => order.push(name)),
  )
  expect(engine.stats()).toMatchObject({ running: 0, waiting: 4 })
  await Promise.all(sent)
  expect(order).toEqual(['a1', 'b1', 'a2', 'a3'])
})

test('an assistant message at the end is continued, and only what is new comes back', async () => {
  const { ask } = await standardEngine()
  const messages = [
    { role: 'user' as const, content: textContent('What is the capital of France?') },
    { role: 'assistant' as const, content: textContent('The capital of') },
  ]
  const { texts } = await ask({ messages, maxTokens: 30 })
  expect(texts[0]).not.toContain('The capital of')
  expect(texts[0]).toContain('France')
})

test('log probabilities come one a token, most likely alternative first', async () => {
  const { ask } = await standardEngine()
  const { events, usage } = await ask({ text: 'Hello!', topLogprobs: 3 })
  const tokens = events.flatMap((event) => (event.type === 'text-delta' ? (event.logprobs ?? []) : []))
  expect(tokens).toHaveLength(usage.completionTokens - 1) // the end token is not part of the text
  for (const token of tokens) {
    expect(token.alternatives).toHaveLength(3)
    expect(token.alternatives[0]?.logprob).toBeCloseTo(token.logprob, 5) // greedy takes the most likely
    expect(token.logprob).toBeLessThanOrEqual(0)
  }
  const bytes = tokens.flatMap((token) => token.bytes)
  const text = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')
  expect(new TextDecoder().decode(new Uint8Array(bytes))).toBe(text)
})

test('thinking is separated from the answer and counted', async () => {
  const { ask } = await standardEngine()
  const { events, usage } = await ask({ text: 'What is 12 + 7?', reasoning: { mode: 'on' }, maxTokens: 200 })
  const thinking = events.flatMap((event) => (event.type === 'reasoning-delta' ? [event.text] : [])).join('')
  const text = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')
  expect(thinking.length).toBeGreaterThan(0)
  expect(thinking + text).not.toContain('think>')
  expect(usage.reasoningTokens).toBeGreaterThan(0)
  expect(usage.reasoningTokens).toBeLessThanOrEqual(usage.completionTokens)
})

const weather: Tool = {
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}
const now: Tool = { name: 'now', parameters: { type: 'object', properties: {} } }

/** Returns the calls with their arguments, and the reason for the answer's end. */
function callsOf({ events, finish }: Reply) {
  const calls: { name: string; arguments: string }[] = []
  for (const event of events) {
    if (event.type === 'tool-call-start') calls.push({ name: event.name, arguments: '' })
    const call = calls.at(-1)
    if (event.type === 'tool-call-delta' && call !== undefined) call.arguments += event.argumentsText
  }
  return { finish: finish[0], calls: calls.map((call) => [call.name, JSON.parse(call.arguments)]) }
}

test('calls a tool that is asked for, and answers without where none is needed', async () => {
  const { ask } = await standardEngine()
  const called = await ask({ text: 'What is the weather in Paris?', tools: [weather], maxTokens: 100 })
  expect(callsOf(called)).toEqual({ finish: 'tool-calls', calls: [['get_weather', { city: 'Paris' }]] })
  expect(called.texts).toEqual([])
  const answered = await ask({ text: 'What is the capital of France?', tools: [weather], maxTokens: 100 })
  expect(answered.texts[0]).toContain('Paris')
  expect(callsOf(answered)).toEqual({ finish: 'stop', calls: [] })
})

test('a call that is required comes at once, of the tools that are allowed', async () => {
  const { ask } = await standardEngine()
  const required = await ask({ tools: [weather], toolChoice: { mode: 'required' }, maxTokens: 100 })
  expect(callsOf(required)).toMatchObject({
    finish: 'tool-calls',
    calls: [['get_weather', { city: expect.any(String) }]],
  })
  expect(required.texts).toEqual([])
  const tools = [weather, now]
  const toolChoice = { mode: 'required' as const, allowed: ['now'] }
  const text = 'What is the weather in Paris?'
  expect(callsOf(await ask({ text, tools, toolChoice, maxTokens: 100 })).calls).toEqual([['now', {}]])
  const all = await ask({ text, tools, maxTokens: 1 })
  const some = await ask({ text, tools, toolChoice, maxTokens: 1 })
  expect(some.usage.promptTokens).toBe(all.usage.promptTokens) // the prompt, and so the cache, is the same
})

test('tools that may not be called are not called', async () => {
  const { ask } = await standardEngine()
  const text = 'What is the weather in Paris?'
  const reply = await ask({ text, tools: [weather], toolChoice: { mode: 'none' }, maxTokens: 60 })
  expect(callsOf(reply).calls).toEqual([])
  expect(reply.texts[0]).not.toContain('<tool_call>')
})

test('a call that the limit cuts is given out as far as it goes', async () => {
  const { ask } = await standardEngine()
  const { events, finish } = await ask({ text: 'What is the weather in Paris?', tools: [weather], maxTokens: 14 })
  expect(finish).toEqual(['length'])
  expect(events.find((event) => event.type === 'tool-call-start')).toMatchObject({ name: 'get_weather', index: 0 })
})

test('an answer is one of the texts that a request names, word for word', async () => {
  const { ask } = await standardEngine()
  const answerChoices = ['the "first" one', 'zweitens: ü\n\\', 'third']
  const seen = new Set<string | undefined>()
  for (const [seed, more] of [{}, { reasoning: { mode: 'on' as const } }, { tools: [weather] }, {}, {}].entries()) {
    const { texts, events } = await ask({ answerChoices, sampling: { ...wild, seed }, maxTokens: 300, ...more })
    const isCall = events.some(({ type }) => type === 'tool-call-start')
    if (!isCall) expect(answerChoices).toContain(texts[0] ?? '')
    seen.add(texts[0])
  }
  expect(seen.size).toBeGreaterThan(1)
  const begun = { role: 'assistant' as const, content: textContent('th') }
  const { texts } = await ask({ messages: [{ role: 'user', content: textContent('Say.') }, begun], answerChoices })
  expect(answerChoices).toContain(`th${texts[0]}`)
})

test('an answer keeps to its schema, also behind thinking and beside tools', async () => {
  const { ask } = await standardEngine()
  const answerSchema = {
    type: 'object',
    properties: { capital: { enum: ['Paris', 'Rome'] }, sure: { type: 'boolean' } },
    required: ['capital', 'sure'],
    additionalProperties: false,
  }
  const expected = { capital: expect.stringMatching(/^(Paris|Rome)$/), sure: expect.any(Boolean) }
  const text = 'What is the capital of France?'
  for (const more of [{}, { reasoning: { mode: 'on' as const, budgetTokens: 20 } }]) {
    const { texts, finish } = await ask({ text, answerSchema, maxTokens: 100, ...more })
    expect(JSON.parse(texts[0] ?? '')).toEqual(expected)
    expect(finish).toEqual(['stop'])
  }
  const beside = await ask({ text: 'What is the weather in Paris?', answerSchema, tools: [weather], maxTokens: 100 })
  expect(callsOf(beside).calls).toEqual([['get_weather', { city: 'Paris' }]])
})

test('what cannot be enforced is refused, the caller’s own beginning of an answer too', async () => {
  const { refused, ask } = await standardEngine()
  for (const answerSchema of [{ $ref: '#/$defs/nowhere' }, { type: 'banana' }]) {
    expect(await refused({ answerSchema })).toMatchObject({ kind: 'invalid_request', code: 'invalid_schema' })
  }
  const begun = (content: string) => [
    { role: 'user' as const, content: textContent('Number?') },
    { role: 'assistant' as const, content: textContent(content) },
  ]
  const answerSchema = {
    type: 'object',
    properties: { n: { const: 12 } },
    required: ['n'],
    additionalProperties: false,
  }
  const message = expect.stringContaining('The last message begins the answer')
  expect(await refused({ messages: begun('[1'), answerSchema })).toMatchObject({ code: 'invalid_schema', message })
  expect((await ask({ messages: begun('{"n": 1'), answerSchema })).texts[0]?.trimEnd()).toBe('2}')
})

test('thinking ends with its budget, and nothing is thought where it is off', async () => {
  const { ask } = await standardEngine()
  const text = 'What is 12 + 7?'
  const thought = ({ events }: Reply) => events.filter((event) => event.type === 'reasoning-delta').length
  const short = await ask({ text, reasoning: { mode: 'on', budgetTokens: 3 }, maxTokens: 200 })
  expect(thought(short)).toBeGreaterThan(0)
  expect(short.usage.reasoningTokens).toBeLessThan(3 + 10) // plus the tokens of the end tag
  expect(short.texts[0]?.length).toBeGreaterThan(0)
  for (const reasoning of [{ mode: 'off' as const }, { mode: 'on' as const, budgetTokens: 0 }]) {
    const none = await ask({ text, reasoning, maxTokens: 200 })
    expect([thought(none), none.usage.reasoningTokens]).toEqual([0, 0])
  }
})
