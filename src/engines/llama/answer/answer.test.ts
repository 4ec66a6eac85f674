import { expect, test } from 'bun:test'
import type { ChatEvent } from '../../../core/chat.ts'
import { thinkFormat } from '../../../testing/chat-format.ts'
import type { NativeParsedMessage, NativeSample } from '../native.ts'
import { Answer, type AnswerOptions } from './answer.ts'
import { ReplyReader } from './reply-reader.ts'

function answer(options: Partial<AnswerOptions> = {}, isSingleCall = false) {
  const made = new Answer({
    choice: 0,
    prompt: { units: [1, 2, 3], runs: [] },
    maxTokens: 100,
    isLimitedByContext: false,
    newSampler: () => ({ acceptPrompt: () => undefined, grammarPlace: () => undefined, flush: () => '' }),
    reader: new ReplyReader(callFormat, { isSingleCall }),
    model: { tokenBytes: () => new TextEncoder().encode('t') },
    wantsLogprobs: false,
    stops: [],
    repetitionLimit: undefined,
    ...options,
  })
  const take = (...texts: string[]) => texts.flatMap((text) => made.take(sample(text)))
  return { made, take }
}

/** Thinking in `<think>…</think>`; a call behind `#`: its name, then its arguments in JSON. */
const callFormat = {
  ...thinkFormat,
  preservedTokens: ['#'],
  parse(text: string): NativeParsedMessage {
    const at = text.indexOf('#')
    if (at < 0) return thinkFormat.parse(text)
    const [name = '', ...rest] = text.slice(at + 1).split(/(?={)/)
    const args = rest.join('')
    const message = thinkFormat.parse(text.slice(0, at))
    if (args === '') return { ...message, isComplete: false }
    const last = { kind: 'arguments' as const, start: text.length - args.length, end: text.length }
    return { ...message, toolCalls: [{ name, arguments: args }], last }
  },
}

function sample(text: string, more: Partial<NativeSample> = {}): NativeSample {
  return { token: 7, text, ...more }
}

function textOf(events: readonly ChatEvent[], type: 'text-delta' | 'reasoning-delta'): string {
  return events.map((event) => (event.type === type ? event.text : '')).join('')
}

test('is processing a prompt until its first token, then generating', () => {
  const { made, take } = answer()
  expect([made.undecoded, made.isGenerating]).toEqual([3, false])
  made.decoded = 3
  take('thought')
  expect([made.undecoded, made.isGenerating]).toEqual([1, true])
})

test('a stop string counts in the visible text only, and is named', () => {
  const { take } = answer({ stops: ['stop', 'halt'] })
  const thinking = take('<think>I must not stop', ' here')
  expect(textOf(thinking, 'reasoning-delta')).toBe('I must not stop here')
  const text = take('</think>the h', 'alt is')
  expect(textOf(text, 'text-delta')).toBe('the ')
  expect(text.at(-1)).toEqual({ type: 'choice-finish', choice: 0, reason: 'stop', stopString: 'halt' })
})

test('a stop string in the very piece that begins the text ends the answer too', () => {
  const { take } = answer({ stops: ['stop'] })
  const events = take('<think>hm', '</think>now stop it')
  expect(textOf(events, 'text-delta')).toBe('now ')
  expect(events.at(-1)).toMatchObject({ reason: 'stop', stopString: 'stop' })
})

test('a stop string never cuts a call, and text before a call that only began like one comes out', () => {
  const { made } = answer({ stops: ['stop'] })
  const events = [made.take(sample('ok st')), made.take(sample('#f{"a":"stop"}', { end: 'end-of-generation' }))].flat()
  expect(events).toEqual([
    { type: 'text-delta', choice: 0, text: 'ok ' },
    { type: 'text-delta', choice: 0, text: 'st' },
    { type: 'tool-call-start', choice: 0, index: 0, name: 'f' },
    { type: 'tool-call-delta', choice: 0, index: 0, argumentsText: '{"a":"stop"}' },
    { type: 'choice-finish', choice: 0, reason: 'tool-calls' },
  ])
})

test('ends after the one call that is allowed', () => {
  const { take } = answer({}, true)
  expect(take('#f{"a":1').at(-1)).toMatchObject({ type: 'tool-call-delta' })
  expect(take('}').at(-1)).toEqual({ type: 'choice-finish', choice: 0, reason: 'tool-calls' })
})

test('a limit says whether it was the context’s, also in the middle of a call', () => {
  for (const isLimitedByContext of [true, false]) {
    const { take } = answer({ maxTokens: 2, isLimitedByContext })
    const events = take('#f{"a', '":')
    expect(events.at(-2)).toMatchObject({ type: 'tool-call-delta', argumentsText: '":' })
    const end = {
      type: 'choice-finish',
      choice: 0,
      reason: 'length',
      ...(isLimitedByContext && { isContextFull: true }),
    }
    expect(events.at(-1)).toEqual(end as ChatEvent)
  }
  expect(answer().made.endHere({ isContextFull: true })).toMatchObject([{ reason: 'length', isContextFull: true }])
})

test('tells the tokens so far on the last event of each token, where that is wanted', () => {
  const { made, take } = answer({ countsTokens: true, stops: ['xyz'] })
  const told = (events: readonly ChatEvent[]) => events.map((event) => ('tokens' in event ? event.tokens : undefined))
  expect(told(take('a'))).toEqual([{ completionTokens: 1, reasoningTokens: 0 }])
  expect(take('x')).toEqual([])
  expect(told(made.endHere())).toEqual([undefined, { completionTokens: 2, reasoningTokens: 0 }])
  expect(told(answer().take('a'))).toEqual([undefined])
})

test('log probabilities of text that is held back leave with the next text', () => {
  const { made } = answer({ wantsLogprobs: true })
  made.take(sample('<think>a</think>', { logprob: -1, alternatives: [] }))
  const events = made.take(sample('text', { logprob: -2, alternatives: [] }))
  const logprobs = events.flatMap((event) => (event.type === 'text-delta' ? (event.logprobs ?? []) : []))
  expect(logprobs.map((token) => token.logprob)).toEqual([-2])
})

test('the tokens of a call have no log probabilities to show', () => {
  const { made } = answer({ wantsLogprobs: true })
  const said = made.take(sample('ok', { logprob: -1, alternatives: [] }))
  const called = ['#', 'f{"a"', ':1}'].flatMap((text) => made.take(sample(text, { logprob: -2, alternatives: [] })))
  const ended = made.take(sample('', { end: 'end-of-generation' }))
  const all = [...said, ...called, ...ended]
  const logprobs = all.flatMap((event) => (event.type === 'text-delta' ? (event.logprobs ?? []) : []))
  expect(logprobs.map((token) => token.logprob)).toEqual([-1])
  expect(all.at(-2)?.type).toBe('tool-call-delta')
})
