import { expect, test } from 'bun:test'
import type { ChatEvent } from '../../core/chat.ts'
import { nothingConsumed } from '../../core/usage.ts'
import { answerContext } from '../../testing/answer-context.ts'
import { sealReasoning } from '../chat/sealed-reasoning.ts'
import { MessageCollector } from './message-collector.ts'
import type { ThinkingDisplay } from './parse-thinking.ts'

const usage = { ...nothingConsumed, promptTokens: 9, cachedTokens: 4, completionTokens: 3, reasoningTokens: 1 }
const start: ChatEvent = { type: 'start', promptTokens: 9, cachedTokens: 4 }
const finish: ChatEvent = { type: 'finish', usage }
const stopped: ChatEvent = { type: 'choice-finish', choice: 0, reason: 'stop' }
const text = (value: string): ChatEvent => ({ type: 'text-delta', choice: 0, text: value })
const reasoning = (value: string): ChatEvent => ({ type: 'reasoning-delta', choice: 0, text: value })
const call = (index: number, name: string, ...pieces: string[]): ChatEvent[] => [
  { type: 'tool-call-start', choice: 0, index, name },
  ...pieces.map((argumentsText): ChatEvent => ({ type: 'tool-call-delta', choice: 0, index, argumentsText })),
]

function collect(events: readonly ChatEvent[], thinkingDisplay: ThinkingDisplay = 'whole') {
  const collector = new MessageCollector({ model: 'org/model', thinkingDisplay }, answerContext())
  for (const event of [start, ...events, finish]) collector.push(event)
  return collector.end()
}

test('a message has every field, its blocks in the order of the output', () => {
  const events = [reasoning('H'), reasoning('m'), text('Loo'), text('k.'), ...call(0, 'find', '{"a"', ':1}'), stopped]
  expect(collect(events)).toEqual({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'org/model',
    content: [
      { type: 'thinking', thinking: 'Hm', signature: '2xHbHlw0sik78jH4OyBrSz1P' },
      { type: 'text', text: 'Look.' },
      { type: 'tool_use', id: 'toolu_2', name: 'find', input: { a: 1 } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    stop_details: null,
    container: null,
    usage: {
      input_tokens: 5,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 4,
      output_tokens: 3,
      output_tokens_details: { thinking_tokens: 1 },
      cache_creation: null,
      service_tier: 'standard',
      server_tool_use: null,
    },
  })
})

test('edge case 53: cached tokens are not counted twice', () => {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = collect([stopped]).usage
  expect(input_tokens + cache_read_input_tokens + cache_creation_input_tokens).toBe(usage.promptTokens)
})

test('edge case 50: thinking that nobody asked for is left out', () => {
  expect(collect([reasoning('a'), text('b'), reasoning('c'), text('d'), stopped], 'none').content).toEqual([
    { type: 'text', text: 'bd' },
  ])
})

test('omitted thinking is an empty block whose signature holds what was thought', () => {
  expect(collect([reasoning('H'), reasoning('m'), stopped], 'omitted').content).toEqual([
    { type: 'thinking', thinking: '', signature: sealReasoning('Hm') },
  ])
})

test('white space alone makes no block; in front of text it is part of it', () => {
  const events = [reasoning('a'), text('\n'), reasoning('b'), text('\n'), ...call(0, 'f', '{}'), text(' '), text('b')]
  expect(collect([...events, text('\n'), stopped]).content).toMatchObject([
    { type: 'thinking', thinking: 'ab' },
    { type: 'tool_use', name: 'f' },
    { type: 'text', text: ' b\n' },
  ])
  expect(collect([text(' '), text('\n'), stopped]).content).toEqual([])
})

test('an answer without any output has no blocks', () => {
  expect(collect([text(''), reasoning(''), stopped])).toMatchObject({ content: [], stop_reason: 'end_turn' })
})

test.each<[string, ChatEvent[], string, string | null]>([
  ['by itself', [text('a'), stopped], 'end_turn', null],
  ['at max_tokens', [{ type: 'choice-finish', choice: 0, reason: 'length' }], 'max_tokens', null],
  [
    'at the end of the context',
    [{ type: 'choice-finish', choice: 0, reason: 'length', isContextFull: true }],
    'model_context_window_exceeded',
    null,
  ],
  [
    'edge case 61: at a stop sequence',
    [text('a'), { type: 'choice-finish', choice: 0, reason: 'stop', stopString: 'END' }],
    'stop_sequence',
    'END',
  ],
  ['with a call', [...call(0, 'f'), { type: 'choice-finish', choice: 0, reason: 'tool-calls' }], 'tool_use', null],
  ['with a call and text behind it', [...call(0, 'f'), text('a'), stopped], 'tool_use', null],
])('the reason of an answer that ended %s', (_, events, reason, sequence) => {
  expect(collect(events)).toMatchObject({ stop_reason: reason, stop_sequence: sequence })
})

test.each([
  ['nothing', []],
  ['half an object', ['{"a":']],
  ['no object', ['[1]']],
])('edge case 62: a call whose arguments are %s has an empty input', (_, pieces) => {
  const cut: ChatEvent = { type: 'choice-finish', choice: 0, reason: 'length' }
  expect(collect([...call(0, 'f', ...pieces), cut])).toMatchObject({
    content: [{ type: 'tool_use', name: 'f', input: {} }],
    stop_reason: 'max_tokens',
  })
})

test('each call has an id of its own', () => {
  const { content } = collect([...call(0, 'f', '{}'), ...call(1, 'f', '{}'), stopped])
  expect(content.map((block) => (block.type === 'tool_use' ? block.id : ''))).toEqual(['toolu_2', 'toolu_3'])
})
