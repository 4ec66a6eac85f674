import { expect, test } from 'bun:test'
import type { ChatEvent } from '../../core/chat.ts'
import { ApiError } from '../../core/errors.ts'
import { nothingConsumed } from '../../core/usage.ts'
import { answerContext } from '../../testing/answer-context.ts'
import { sealReasoning } from '../chat/sealed-reasoning.ts'
import { EventEncoder } from './event-encoder.ts'
import type { ThinkingDisplay } from './parse-thinking.ts'

const usage = { ...nothingConsumed, promptTokens: 9, cachedTokens: 4, completionTokens: 3, reasoningTokens: 1 }
const start: ChatEvent = { type: 'start', promptTokens: 9, cachedTokens: 4 }
const finish: ChatEvent = { type: 'finish', usage }
const end: readonly ChatEvent[] = [{ type: 'choice-finish', choice: 0, reason: 'stop' }, finish]
const text = (value: string): ChatEvent => ({ type: 'text-delta', choice: 0, text: value })
const reasoning = (value: string): ChatEvent => ({ type: 'reasoning-delta', choice: 0, text: value })
const call = (index: number, name: string): ChatEvent => ({ type: 'tool-call-start', choice: 0, index, name })
const args = (index: number, argumentsText: string): ChatEvent => {
  return { type: 'tool-call-delta', choice: 0, index, argumentsText }
}

function newEncoder(thinkingDisplay: ThinkingDisplay = 'whole'): EventEncoder {
  const calls = [1, 2].values()
  return new EventEncoder(
    { model: 'org/model', thinkingDisplay },
    {
      ...answerContext(),
      newId: (prefix) => `${prefix}${prefix === 'msg_' ? 1 : calls.next().value}`,
      requestId: 'req_1',
      docsUrl: (code) => `/docs/errors#${code}`,
    },
  )
}

function frames(events: readonly ChatEvent[], display?: ThinkingDisplay): string[] {
  const encoder = newEncoder(display)
  return [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
}

interface WireEvent {
  readonly type: string
  readonly index?: number
  readonly content_block?: { readonly type: string }
  readonly delta?: Record<string, unknown>
}

function eventsOf(list: readonly string[]): WireEvent[] {
  return list.map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 'data: '.length)))
}

/** Returns the events of blocks in order, such as `start 0 thinking`, `delta 0 thinking_delta`, `stop 0`. */
function blockLife(list: readonly string[]): string[] {
  return eventsOf(list).flatMap(({ type, index, content_block, delta }) => {
    if (type === 'content_block_start') return `start ${index} ${content_block?.type}`
    if (type === 'content_block_delta') return `delta ${index} ${delta?.type}`
    return type === 'content_block_stop' ? `stop ${index}` : []
  })
}

test('a plain answer is byte for byte what clients of this dialect expect', () => {
  expect(frames([start, text('Hel'), text('lo "🙂"\n'), ...end])).toEqual([
    'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"org/model","content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,"container":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":4,"output_tokens":0,"output_tokens_details":{"thinking_tokens":0},"cache_creation":null,"service_tier":"standard","server_tool_use":null}}}\n\n',
    'event: ping\ndata: {"type":"ping"}\n\n',
    'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo \\"🙂\\"\\n"}}\n\n',
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
    'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null,"stop_details":null,"container":null},"usage":{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":4,"output_tokens":3,"output_tokens_details":{"thinking_tokens":1}}}\n\n',
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ])
})

test('thinking, text and calls are byte for byte what clients of this dialect expect', () => {
  const events = [reasoning('Hm'), text('Look.'), call(0, 'find'), args(0, '{"a"'), args(0, ':"é"}'), call(1, 'now')]
  expect(frames([start, ...events, ...end]).slice(2, -1)).toEqual([
    'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"2xHbHlw0sik78jH4OyBrSz1P"}}\n\n',
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
    'event: content_block_start\ndata: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Look."}}\n\n',
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":1}\n\n',
    'event: content_block_start\ndata: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"find","input":{}}}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\\"a\\""}}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":":\\"é\\"}"}}\n\n',
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":2}\n\n',
    'event: content_block_start\ndata: {"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_2","name":"now","input":{}}}\n\n',
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{}"}}\n\n',
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":3}\n\n',
    'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null,"stop_details":null,"container":null},"usage":{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":4,"output_tokens":3,"output_tokens_details":{"thinking_tokens":1}}}\n\n',
  ])
})

test('edge case 51: block indices are dense and never reused, whatever the order of the output', () => {
  const events = [text('a'), reasoning('b'), text('c'), call(0, 'f'), args(0, '{}'), reasoning('d'), call(1, 'g')]
  expect(blockLife(frames([start, ...events, text('e'), ...end]))).toEqual([
    ...['start 0 text', 'delta 0 text_delta', 'stop 0'],
    ...['start 1 thinking', 'delta 1 thinking_delta', 'delta 1 signature_delta', 'stop 1'],
    ...['start 2 text', 'delta 2 text_delta', 'stop 2'],
    ...['start 3 tool_use', 'delta 3 input_json_delta', 'stop 3'],
    ...['start 4 thinking', 'delta 4 thinking_delta', 'delta 4 signature_delta', 'stop 4'],
    ...['start 5 tool_use', 'delta 5 input_json_delta', 'stop 5'],
    ...['start 6 text', 'delta 6 text_delta', 'stop 6'],
  ])
})

test('edge case 52: every event has its name, and the name is its type', () => {
  const error = newEncoder().fail(new ApiError('engine', 'It died.', { code: 'engine_failed' }))
  const all = [...frames([start, reasoning('a'), text('b'), call(0, 'f'), ...end]), ...error, newEncoder().keepAlive()]
  for (const frame of all) {
    const [nameLine, dataLine, ...rest] = frame.split('\n')
    expect(nameLine).toBe(`event: ${JSON.parse(dataLine?.slice('data: '.length) ?? '').type}`)
    expect(rest).toEqual(['', ''])
  }
})

test('edge case 50: thinking that nobody asked for leaves no trace', () => {
  const withThinking = [start, reasoning('a'), text('b'), reasoning('c'), text('d'), ...end]
  expect(frames(withThinking, 'none')).toEqual(frames([start, text('b'), text('d'), ...end], 'none'))
})

test('omitted thinking is an empty block whose signature holds what was thought', () => {
  const life = frames([start, reasoning('H'), reasoning('m'), text('b'), ...end], 'omitted')
  expect(blockLife(life).slice(0, 3)).toEqual(['start 0 thinking', 'delta 0 signature_delta', 'stop 0'])
  const signature = eventsOf(life).find(({ delta }) => delta?.type === 'signature_delta')?.delta?.signature
  expect(signature).toBe(sealReasoning('Hm'))
})

test('white space alone makes no block; in front of text it is part of it', () => {
  const events = [reasoning('a'), text('\n'), text('\n'), call(0, 'f'), text(' '), text('b'), text('\n'), ...end]
  expect(blockLife(frames([start, ...events])).filter((step) => step.startsWith('start'))).toEqual([
    ...['start 0 thinking', 'start 1 tool_use', 'start 2 text'],
  ])
  expect(eventsOf(frames([start, ...events])).filter(({ delta }) => delta?.type === 'text_delta')).toMatchObject([
    { delta: { text: ' b' } },
    { delta: { text: '\n' } },
  ])
  const thought = [reasoning('a'), text('\n'), reasoning('b')]
  expect(blockLife(frames([start, ...thought, text('\n'), ...end]))).toEqual([
    ...['start 0 thinking', 'delta 0 thinking_delta', 'delta 0 thinking_delta', 'delta 0 signature_delta', 'stop 0'],
  ])
  expect(eventsOf(frames([start, ...thought, text('c'), ...end]))).toContainEqual(
    expect.objectContaining({ index: 1, delta: { type: 'text_delta', text: 'c' } }),
  )
})

test('empty deltas make no block, and an empty answer has none', () => {
  expect(blockLife(frames([start, text(''), reasoning(''), ...end]))).toEqual([])
})

test('edge case 62: a call that is cut by max_tokens stays cut', () => {
  const cut: ChatEvent = { type: 'choice-finish', choice: 0, reason: 'length' }
  const begun = frames([start, call(0, 'f'), args(0, '{"a":'), cut, finish])
  expect(blockLife(begun)).toEqual(['start 0 tool_use', 'delta 0 input_json_delta', 'stop 0'])
  expect(eventsOf(begun).at(-2)?.delta).toMatchObject({ stop_reason: 'max_tokens', stop_sequence: null })
  const unbegun = frames([start, call(0, 'f'), cut, finish])
  expect(blockLife(unbegun)).toEqual(['start 0 tool_use', 'stop 0'])
})

test('edge case 60: a failure is an error event with the request id, and nothing else', () => {
  const encoder = newEncoder()
  for (const event of [start, text('Hal')]) encoder.push(event)
  expect(encoder.fail(new ApiError('engine', 'It died.', { code: 'engine_failed' }))).toEqual([
    'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"It died.","code":"engine_failed","param":null,"docs_url":"/docs/errors#engine_failed"},"request_id":"req_1"}\n\n',
  ])
})

test('what keeps a connection alive is a ping', () => {
  expect(newEncoder().keepAlive()).toBe('event: ping\ndata: {"type":"ping"}\n\n')
})
