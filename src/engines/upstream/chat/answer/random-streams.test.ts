/** Guarantees of the reader, whatever a server sends. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ChatEvent, ChatOutput, ChatRequest } from '../../../../core/chat.ts'
import { upstreamFlavors } from '../../../../core/upstream.ts'
import { chatRequest } from '../../../../testing/chat-request.ts'
import { oddValue } from '../../../../testing/mutated-json.ts'
import { randomAnswer } from '../../../../testing/random-answer.ts'
import { UpstreamFailure } from '../../http/failure.ts'
import { ChatReader } from './chat-reader.ts'

const tools = [{ name: 'f', parameters: {} }]

/** Throws if the outputs break the guarantees of `core/chat.ts`. */
function requireKept(outputs: readonly ChatOutput[], request: ChatRequest): void {
  let calls = 0
  let text = ''
  for (const [index, output] of outputs.entries()) {
    expect(output.choice).toBe(0)
    if (output.type === 'tool-call-start') expect(output.index).toBe(calls++)
    if (output.type === 'tool-call-start') expect(output.name).not.toBe('')
    if (output.type === 'tool-call-delta') expect([output.index, output.argumentsText]).not.toEqual([calls - 1, ''])
    if (output.type === 'tool-call-delta') expect(output.index).toBe(calls - 1)
    if (output.type === 'text-delta' || output.type === 'reasoning-delta') expect(output.text).not.toBe('')
    if (output.type === 'text-delta') text += output.text
    if (output.type === 'reasoning-delta') expect(request.reasoning.mode).not.toBe('off')
    if (output.type === 'choice-finish') expect(index).toBe(outputs.length - 1)
  }
  if (!request.parallelToolCalls) expect(calls).toBeLessThanOrEqual(1)
  // Stop strings have one character here, since text before and after a call is not one text.
  for (const stop of request.stop) expect(text).not.toContain(stop)
}

/** Joins neighbouring pieces, since server and reader cut text differently. */
function joined(outputs: readonly (ChatOutput | ChatEvent)[]): unknown[] {
  const all: Record<string, unknown>[] = []
  for (const output of outputs) {
    if (output.type === 'start' || output.type === 'finish') continue
    if ('text' in output && output.text === '') continue
    if (output.type === 'tool-call-delta') {
      const last = all.at(-1)
      if (last?.type === 'tool-call-start') last.argumentsText = `${last.argumentsText}${output.argumentsText}`
      continue
    }
    const last = all.at(-1)
    if ('text' in output && last?.type === output.type) last.text = `${last.text}${output.text}`
    else all.push({ ...output, ...(output.type === 'tool-call-start' && { argumentsText: '' }) })
  }
  return all.map((one) => (one.argumentsText === '' ? { ...one, argumentsText: '{}' } : one))
}

/** Returns the events as a stream of chunks, with ids and names only at the start of a call. */
function toChunks(events: readonly ChatEvent[], reasoningField: string): string[] {
  return events.flatMap((event) => {
    const said = (delta: object, finish: string | null = null) => [
      JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }], usage: null }),
    ]
    switch (event.type) {
      case 'text-delta':
        return said({ content: event.text })
      case 'reasoning-delta':
        return said({ [reasoningField]: event.text })
      case 'tool-call-start':
        return said({ tool_calls: [{ index: event.index, id: `c${event.index}`, function: { name: event.name } }] })
      case 'tool-call-delta':
        return said({ tool_calls: [{ index: event.index, function: { arguments: event.argumentsText } }] })
      case 'choice-finish':
        return said({}, event.reason === 'length' ? 'length' : 'stop')
      default:
        return []
    }
  })
}

test('whatever an engine says comes back as it was, under either name of thinking', () => {
  const answers = randomAnswer({ choices: 1, toolNames: ['f', 'g'] })
  fc.assert(
    fc.property(answers, fc.constantFrom('reasoning', 'reasoning_content'), (events, field) => {
      // Only whole arguments show where a call ends, if nothing else comes in between.
      fc.pre(isTold(events))
      const reader = new ChatReader({ choice: 0, flavor: 'inferd', request: chatRequest({ tools }) })
      const outputs = toChunks(events, field).flatMap((chunk) => reader.read(chunk))
      requireKept(outputs, chatRequest())
      expect(joined(outputs)).toEqual(joined(events))
      reader.requireEnd()
    }),
    { numRuns: 300 },
  )
})

/** Returns whether each call but the last has whole arguments, and a cut answer has no call without any. */
function isTold(events: readonly ChatEvent[]): boolean {
  const written = new Map<number, string>()
  let isCut = false
  for (const event of events) {
    if (event.type === 'tool-call-start') written.set(event.index, '')
    if (event.type === 'tool-call-delta')
      written.set(event.index, (written.get(event.index) ?? '') + event.argumentsText)
    if (event.type === 'choice-finish') isCut = event.reason === 'length'
  }
  const all = [...written.values()]
  return !(isCut && all.includes('')) && all.every((text, index) => index === all.length - 1 || isObjectText(text))
}

function isObjectText(text: string): boolean {
  try {
    return text.startsWith('{') && typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

const maybe = (value: fc.Arbitrary<unknown>) => fc.option(value, { nil: undefined, freq: 3 })
const words = fc.oneof(
  fc.constantFrom<unknown>('a', 'b!', '<think>', '</think>', '', null, '{"a":1}', '{', '}'),
  oddValue,
)
const piece = fc.record({
  index: maybe(fc.oneof(fc.constantFrom<unknown>(0, 1, 2, -1), oddValue)),
  id: maybe(fc.oneof(fc.constantFrom<unknown>('c0', 'c1', ''), oddValue)),
  function: maybe(fc.oneof(fc.record({ name: maybe(words), arguments: maybe(words) }), oddValue)),
})
const delta = fc.record({
  role: maybe(fc.constant('assistant')),
  content: maybe(words),
  reasoning: maybe(words),
  reasoning_content: maybe(words),
  tool_calls: maybe(fc.oneof(fc.array(piece, { maxLength: 3 }), oddValue)),
  function_call: maybe(fc.oneof(piece, oddValue)),
})
const choice = fc.record({
  index: fc.constantFrom(0, 0, 0, undefined, 1),
  delta: fc.oneof({ weight: 9, arbitrary: delta }, { weight: 1, arbitrary: oddValue }),
  text: maybe(words),
  logprobs: maybe(oddValue),
  finish_reason: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(null, undefined) }, { weight: 1, arbitrary: words }),
})
const odd = fc.record({
  choices: fc.oneof({ weight: 9, arbitrary: fc.array(choice, { maxLength: 2 }) }, { weight: 1, arbitrary: oddValue }),
  usage: maybe(fc.oneof(oddValue, fc.record({ prompt_tokens: oddValue, completion_tokens: oddValue }))),
  timings: maybe(fc.oneof(oddValue, fc.record({ prompt_n: oddValue, cache_n: oddValue, predicted_n: oddValue }))),
  error: fc.option(oddValue, { nil: undefined, freq: 40 }),
})

test('whatever a server sends, what is given out keeps its promises, and nothing but its failure is thrown', () => {
  const requests = fc.record({
    flavor: fc.constantFrom(...upstreamFlavors),
    mode: fc.constantFrom('off', 'on', undefined),
    stop: fc.constantFrom([], ['!']),
    parallelToolCalls: fc.boolean(),
    topLogprobs: fc.constantFrom(undefined, 0, 2),
  })
  fc.assert(
    fc.property(fc.array(odd, { maxLength: 12 }), requests, (chunks, { flavor, mode, ...parts }) => {
      const request = chatRequest({ tools, reasoning: { mode }, ...parts })
      const reader = new ChatReader({ choice: 0, flavor, request })
      const outputs: ChatOutput[] = []
      try {
        for (const chunk of chunks) outputs.push(...reader.read(JSON.stringify(chunk)))
        outputs.push(...reader.read('[DONE]'))
        reader.requireEnd()
        expect(outputs.at(-1)?.type).toBe('choice-finish')
      } catch (failure) {
        expect(failure).toBeInstanceOf(UpstreamFailure)
      }
      requireKept(outputs, request)
      const { usage, counted } = reader
      for (const tokens of Object.values({ ...usage, ...counted }))
        expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true)
      if (usage === undefined) return
      expect(usage.cachedTokens).toBeLessThanOrEqual(usage.promptTokens)
      expect(usage.reasoningTokens).toBeLessThanOrEqual(usage.completionTokens)
    }),
    { numRuns: 400 },
  )
})
