import { expect, test } from 'bun:test'
import type { ChatEvent } from '../../core/chat.ts'
import { Answer, type AnswerOptions } from './answer.ts'
import type { NativeSample } from './native.ts'
import { ReplyReader } from './reply-reader.ts'

/** Thinking is whatever stands before `|`. */
const format = {
  thinkingEndTags: ['|'],
  parse(text: string) {
    const [reasoning = '', content = ''] = text.split('|')
    return { content, reasoning, toolCalls: [] }
  },
}

function answer(options: Partial<AnswerOptions> = {}) {
  const stops: string[][] = []
  const sampler = {
    acceptPrompt: () => undefined,
    setStops: (given: readonly string[]) => stops.push([...given]),
    flush: () => '',
  }
  const made = new Answer({
    choice: 0,
    prompt: [1, 2, 3],
    maxTokens: 100,
    sampler,
    reader: new ReplyReader(format),
    model: { tokenBytes: () => new TextEncoder().encode('t') },
    wantsLogprobs: false,
    stopsAfterThinking: [],
    ...options,
  })
  const take = (...texts: string[]) => texts.flatMap((text) => made.take(sample(text)))
  return { made, stops, take }
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

test('a stop string inside the thinking is ignored, in the text it ends the answer', () => {
  const { take, stops } = answer({ stopsAfterThinking: ['stop'] })
  const thinking = take('I must not stop', ' here')
  expect(textOf(thinking, 'reasoning-delta')).toBe('I must not stop here')
  expect(stops).toEqual([])
  const text = take('|the')
  expect(textOf(text, 'text-delta')).toBe('the')
  expect(stops).toEqual([['stop']])
})

test('a stop string in the very piece that begins the text ends the answer too', () => {
  const { take } = answer({ stopsAfterThinking: ['stop'] })
  const events = take('hm', '|now stop it')
  expect(textOf(events, 'text-delta')).toBe('now ')
  expect(events.at(-1)).toEqual({ type: 'choice-finish', choice: 0, reason: 'stop' })
})

test('log probabilities of text that is held back leave with the next text', () => {
  const { made } = answer({ wantsLogprobs: true })
  made.take(sample('a|', { logprob: -1, alternatives: [] }))
  const events = made.take(sample('text', { logprob: -2, alternatives: [] }))
  const logprobs = events.flatMap((event) => (event.type === 'text-delta' ? (event.logprobs ?? []) : []))
  expect(logprobs.map((token) => token.logprob)).toEqual([-2])
})
