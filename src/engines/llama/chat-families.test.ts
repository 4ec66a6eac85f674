/** llama.cpp's own templates of many model families: the content of their prompts, and the reading of their answers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ChatMessage, ChatRequest, Tool } from '../../core/chat.ts'
import { textContent } from '../../core/content.ts'
import { type ChatFamily, chatFamilies } from '../../testing/chat-families.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import { testContextOptions } from '../../testing/native-options.ts'
import {
  openTemplateModels,
  shippedTemplate,
  type TemplateModel,
  type TemplateModels,
} from '../../testing/template-models.ts'
import { type ReplyDelta, type ReplyFormat, ReplyReader } from './answer/reply-reader.ts'
import { samplerOptions } from './answer/samplers.ts'
import type { NativeContext, NativeContextOptions } from './native.ts'
import { preparePrompt, renderRequest } from './prompt/prepare-prompt.ts'

let models: TemplateModels
const loaded = new Map<ChatFamily, Promise<TemplateModel>>()

beforeAll(async () => {
  models = await openTemplateModels()
})

afterAll(() => models.dispose())

function modelOf(family: ChatFamily): Promise<TemplateModel> {
  const model =
    loaded.get(family) ??
    models.load(shippedTemplate(family.template), { endBias: 0, ...(family.marks && { marks: family.marks }) })
  loaded.set(family, model)
  return model
}

const tools: readonly Tool[] = [
  {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    },
  },
  { name: 'now', description: 'Time of day', parameters: { type: 'object', properties: {} } },
]

const question: ChatMessage = { role: 'user', content: textContent('Weather?') }

function request(parts: Partial<ChatRequest>): ChatRequest {
  return chatRequest({ messages: [question], tools, reasoning: { mode: 'on' }, ...parts })
}

interface Reply {
  reasoning: string
  text: string
  calls: { name: string; arguments: string }[]
}

function read(format: ReplyFormat, pieces: readonly string[], isSingleCall = false): Reply {
  const reader = new ReplyReader(format, { isSingleCall })
  const reply: Reply = { reasoning: '', text: '', calls: [] }
  const take = (deltas: readonly ReplyDelta[]) => {
    for (const delta of deltas) {
      if (delta.kind === 'text' || delta.kind === 'reasoning') reply[delta.kind] += delta.text
      else if (delta.kind === 'call-start') {
        expect(delta.index).toBe(reply.calls.length)
        reply.calls.push({ name: delta.name, arguments: '' })
      } else {
        expect(delta.index).toBe(reply.calls.length - 1)
        const call = reply.calls[delta.index]
        if (call !== undefined) call.arguments += delta.text
      }
    }
  }
  for (const piece of pieces) take(reader.push(piece))
  take(reader.end())
  return reply
}

/** Returns the whole characters of an answer whose bytes come in these pieces. */
function decoded(chunks: readonly Uint8Array[]): string[] {
  const decoder = new TextDecoder()
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true }))
}

const contextOptions: NativeContextOptions = {
  ...testContextOptions,
  contextTokens: 8192,
  batchTokens: 8192,
  microBatchTokens: 512,
  sequences: 1,
}

/** Generates an answer of random tokens with at most one call, as long as a test can wait. */
async function generate(context: NativeContext, model: TemplateModel, asked: ChatRequest): Promise<Reply> {
  const prepared = await preparePrompt(model, asked)
  const wild = { ...asked, sampling: { temperature: 1, topK: 0, topP: 1, minP: 0, seed: 3 } }
  const sampler = new models.addon.Sampler(model, samplerOptions(wild, prepared, { choice: 0, randomSeed: 0 }))
  // Random weights make nothing of earlier messages.
  let tokens = (await model.tokenize(prepared.prompt, true, true)).slice(-32)
  const pieces: string[] = []
  context.removeSequence(0, 0, -1)
  let position = 0
  while (pieces.length < 500) {
    const positions = tokens.map((_, index) => position + index)
    position += tokens.length
    const outputs = [{ entry: tokens.length - 1, sampler }]
    const step = await context.step({ tokens, positions, sequences: new Int32Array(tokens.length), outputs })
    const sample = step.kind === 'ok' ? step.samples[0]?.[0] : undefined
    if (sample === undefined) break
    expect(sample.error).toBeUndefined()
    pieces.push(sample.text)
    if (sample.end !== undefined) break
    tokens = Int32Array.of(sample.token)
  }
  return read(prepared.format, pieces, true)
}

/** Small models leave marks out, others do so when their thinking is cut short. */
test('text without the mark that its format wants is text, and what ends thinking is none', async () => {
  const family = chatFamilies.find(({ name }) => name === 'Cohere2 MoE')
  if (family === undefined) throw new Error('the family is gone')
  const model = await modelOf(family)
  const paris: Reply = { reasoning: '', text: 'Paris is <b>nice</b>.', calls: [] }
  for (const offered of [[], tools]) {
    const formatOf = async (mode: 'on' | 'off') =>
      (await preparePrompt(model, request({ tools: offered, reasoning: { mode } }))).format
    const open = await formatOf('on')
    for (const before of ['<|END_THINKING|>', '<|END_THINKING|>\n', '<|END_THINKING|>\n<|START_TEXT|>']) {
      for (const after of ['', '<|END_TEXT|>', '<|END_TEXT|><|END_OF_TURN_TOKEN|>']) {
        const answer = `${before}${paris.text}${after}`
        expect(read(open, [...answer])).toEqual(paris)
        expect(read(open, [answer])).toEqual(paris)
        expect(read(open, [...`Hm.${answer}`])).toEqual({ ...paris, reasoning: 'Hm.' })
      }
    }
    expect(read(await formatOf('off'), [...paris.text])).toEqual(paris)
    expect(read(await formatOf('off'), [...`<|START_TEXT|>${paris.text}<|END_TEXT|>`])).toEqual(paris)
  }
})

describe.each(chatFamilies)('$name', (family) => {
  const { shows, ends, answer, reasoning = '', text = '', isDouble = false, dropsSystem = false } = family

  test('shows tools, an earlier call and its result', async () => {
    const messages: ChatMessage[] = [
      question,
      {
        role: 'assistant',
        content: [],
        toolCalls: [{ id: 'call_Q', name: 'get_weather', argumentsText: '{"city": "Oslo"}' }],
      },
      { role: 'tool', content: textContent('sunny'), toolCallId: 'call_Q' },
      { role: 'assistant', content: textContent('It is sunny.') },
      { role: 'user', content: textContent('And in Zürich?') },
    ]
    const { prompt } = await preparePrompt(await modelOf(family), request({ messages }))
    let from = 0
    for (const shown of shows) {
      const at = prompt.indexOf(shown, from)
      if (at < 0) expect(prompt).toContain(shown)
      expect(at).toBeGreaterThanOrEqual(0)
      from = at + shown.length
    }
    expect(prompt.includes('You can call functions')).toBe(family.hidesTools ?? false)
    expect((await renderRequest(await modelOf(family), request({ messages }))).prompt).toBe(prompt)
  })

  test('broken arguments, unknown ids and results of nothing are shown too', async () => {
    const toolCalls = [{ id: 'x', name: 'get_weather', argumentsText: '{"city": "Os' }]
    const messages: ChatMessage[] = [
      { role: 'tool', content: textContent('of nothing') },
      question,
      { role: 'assistant', content: [], toolCalls },
      { role: 'system', content: textContent('Be brief.') },
      { role: 'tool', content: textContent('sunny'), toolCallId: 'unheard of' },
    ]
    const { prompt } = await preparePrompt(await modelOf(family), request({ messages }))
    expect(prompt).toContain('sunny')
    if (!dropsSystem) expect(prompt).toContain('Be brief.')
  })

  test('shows tools whose parameters have no plain type', async () => {
    const properties = {
      when: { anyOf: [{ type: 'integer' }, { type: 'null' }], description: 'Days from now' },
      maybe: { type: ['string', 'null'] },
    }
    const odd: Tool = { name: 'forecast', parameters: { type: 'object', properties, required: ['when'] } }
    const { prompt } = await preparePrompt(await modelOf(family), request({ tools: [odd] }))
    expect(prompt).toContain('forecast')
  })

  test('asks to think or not to think', async () => {
    for (const mode of ['on', 'off'] as const) {
      const { prompt } = await preparePrompt(await modelOf(family), request({ reasoning: { mode } }))
      expect(prompt.slice(-ends[mode].length)).toBe(ends[mode])
    }
  })

  test('what follows the end of thinking is text, with marks of its own or without', async () => {
    const { format } = await preparePrompt(await modelOf(family), request({ tools: [] }))
    const { generationPrompt, thinkingStartTag, thinkingEndTags } = format
    const [end] = thinkingEndTags
    if (end === undefined) return
    const start = generationPrompt.includes(thinkingStartTag) ? '' : thinkingStartTag
    const answer = `${start}Hm.${end}\nParis is nice.`
    expect(read(format, [...answer])).toEqual({ reasoning: 'Hm.', text: 'Paris is nice.', calls: [] })
  })

  test('reads a call, whole and cut at every byte', async () => {
    const { format } = await preparePrompt(await modelOf(family), request({}))
    const whole = read(format, [answer])
    expect(whole).toMatchObject({ reasoning, text })
    expect(whole.calls.map((call) => call.name)).toEqual(['get_weather', ...(isDouble ? ['now'] : [])])
    expect(whole.calls.map((call) => JSON.parse(call.arguments))).toEqual([
      { city: 'Zürich', days: 12 },
      ...(isDouble ? [{}] : []),
    ])
    const bytes = new TextEncoder().encode(answer)
    for (let at = 1; at < bytes.length; at++) {
      expect(read(format, decoded([bytes.subarray(0, at), bytes.subarray(at)]))).toEqual(whole)
    }
    expect(read(format, decoded(Array.from(bytes, (byte) => Uint8Array.of(byte))))).toEqual(whole)
    const first = { ...whole, calls: whole.calls.slice(0, 1) }
    expect(read(format, [...answer], true)).toEqual(first)
  })

  test('a call that the model begins by itself has a grammar that waits for it', async () => {
    const model = await modelOf(family)
    const prepared = await preparePrompt(model, request({}))
    expect([prepared.grammar.isLazy, prepared.grammar.text === '']).toEqual([true, false])
    const options = samplerOptions(request({}), prepared, { choice: 0, randomSeed: 0 })
    expect(() => new models.addon.Sampler(model, options)).not.toThrow()
  })

  test('with random weights a required call is a call, and a schema is kept', async () => {
    const model = await modelOf(family)
    const context = new models.addon.Context(model, contextOptions)
    const simple = (name: string): Tool => ({
      name,
      parameters: { type: 'object', properties: { days: { type: 'integer' } }, required: ['days'] },
    })
    const offered = { tools: [simple('forecast'), simple('history')] }
    const answerSchema = {
      type: 'object',
      properties: { ok: { type: 'boolean' } },
      required: ['ok'],
      additionalProperties: false,
    }
    for (const reasoning of [{ mode: 'off' as const }, { mode: 'on' as const, budgetTokens: 5 }]) {
      const called = await generate(
        context,
        model,
        request({ ...offered, reasoning, toolChoice: { mode: 'required' } }),
      )
      expect(called.calls.length).toBeGreaterThan(0)
      for (const call of called.calls) expect(call.name).toMatch(/^(forecast|history)$/)
      const said = await generate(context, model, request({ tools: [], reasoning, answerSchema }))
      expect(JSON.parse(said.text)).toEqual({ ok: expect.any(Boolean) })
      const either = await generate(context, model, request({ ...offered, reasoning, answerSchema }))
      if (either.calls.length === 0) expect(JSON.parse(either.text)).toEqual({ ok: expect.any(Boolean) })
    }
    await context.close()
  })
})
