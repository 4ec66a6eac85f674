import { expect, test } from 'bun:test'
import type { ChatOutput, ChatRequest } from '../../../../core/chat.ts'
import { textContent } from '../../../../core/content.ts'
import { chatRequest } from '../../../../testing/chat-request.ts'
import { UpstreamFailure } from '../../http/failure.ts'
import { ChatReader, type ChatReaderOptions } from './chat-reader.ts'

const tool = { name: 'f', parameters: {} }

function newReader(request: Partial<ChatRequest> = {}, options: Partial<ChatReaderOptions> = {}): ChatReader {
  return new ChatReader({ choice: 0, flavor: 'vllm', request: chatRequest({ tools: [tool], ...request }), ...options })
}

/** A chunk with this delta. */
function chunk(delta: object, more: object = {}): string {
  return JSON.stringify({
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  })
}

function text(content: string): string {
  return chunk({ content })
}

function end(reason: string | null = 'stop', more: object = {}): string {
  return chunk({}, { finish_reason: reason, ...more })
}

/** Returns a chunk with a piece of a call. */
function call(fields: object): string {
  return chunk({ tool_calls: [fields] })
}

/** Shortens events: joins neighbouring pieces of the same kind, and omits the choice and constant parts of the type. */
function told(outputs: readonly ChatOutput[]): unknown[] {
  const short: unknown[][] = []
  for (const output of outputs) {
    const last = short.at(-1)
    const { choice, type, ...rest } = output
    expect(choice).toBe(0)
    if (type === 'text-delta' || type === 'reasoning-delta') {
      expect(output).toHaveProperty('text')
      const kind = type === 'text-delta' ? 'text' : 'thinks'
      const { text: piece } = output as { readonly text: string }
      expect(piece).not.toBe('')
      if (last?.[0] === kind) last[1] = `${last[1]}${piece}`
      else short.push([kind, piece])
    } else if (type === 'tool-call-start') short.push(['call', output.index, output.name, ''])
    else if (type === 'tool-call-delta') {
      expect(last?.slice(0, 2)).toEqual(['call', output.index])
      if (last !== undefined) last[3] = `${last[3]}${output.argumentsText}`
    } else short.push(['end', rest])
  }
  return short
}

function read(reader: ChatReader, events: readonly string[]): ChatOutput[] {
  return events.flatMap((event) => reader.read(event))
}

const stop = ['end', { reason: 'stop' }]
const calls = ['end', { reason: 'tool-calls' }]

test.each<[string, string[], unknown[], Partial<ChatRequest>?, Partial<ChatReaderOptions>?]>([
  [
    'text',
    [chunk({ role: 'assistant', content: '' }), text('Hel'), text('lo'), end(), '[DONE]'],
    [['text', 'Hello'], stop],
  ],
  ['an end on the last piece', [chunk({ content: 'Hi' }, { finish_reason: 'stop' })], [['text', 'Hi'], stop]],
  [
    'null everywhere',
    [chunk({ content: null, reasoning: null, tool_calls: null }), text('a'), end()],
    [['text', 'a'], stop],
  ],
  ['a list of parts', [chunk({ content: [{ type: 'text', text: 'a' }, 'b'] }), end()], [['text', 'ab'], stop]],
  [
    'parts that think',
    [
      chunk({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
          { type: 'text', text: 'a' },
        ],
      }),
      end(),
    ],
    [['thinks', 'Hm'], ['text', 'a'], stop],
  ],
  [
    'a whole message',
    [JSON.stringify({ choices: [{ message: { content: 'a' }, finish_reason: 'stop' }] })],
    [['text', 'a'], stop],
  ],
  ['a refusal', [chunk({ content: null, refusal: 'No.' }), end()], [['text', 'No.'], stop]],
  ['reasoning', [chunk({ reasoning: 'Hm' }), text('a'), end()], [['thinks', 'Hm'], ['text', 'a'], stop]],
  [
    'reasoning_content',
    [chunk({ reasoning_content: 'Hm' }), text('a'), end()],
    [['thinks', 'Hm'], ['text', 'a'], stop],
  ],
  [
    'without the line breaks beside its tags',
    [chunk({ reasoning: '\n' }), chunk({ reasoning: '\nHm \n' }), chunk({ reasoning: 'so\n' }), text('a'), end()],
    [['thinks', 'Hm \nso'], ['text', 'a'], stop],
  ],
  ['both, once', [chunk({ reasoning: 'Hm', reasoning_content: 'Hm' }), end()], [['thinks', 'Hm'], stop]],
  ['one of them empty', [chunk({ reasoning: '', reasoning_content: 'Hm' }), end()], [['thinks', 'Hm'], stop]],
  [
    'thinking that is off',
    [chunk({ reasoning: 'Hm' }), text('a'), end()],
    [['text', 'a'], stop],
    { reasoning: { mode: 'off' } },
  ],
  [
    'other choices',
    [JSON.stringify({ choices: [{ index: 1, delta: { content: 'x' } }] }), text('a'), end()],
    [['text', 'a'], stop],
  ],
  [
    'what is not known',
    ['3', 'null', '{}', '{"choices":[]}', '{"choices":[3]}', text('a'), end()],
    [['text', 'a'], stop],
  ],
  ['no reason but [DONE]', [text('a'), '[DONE]'], [['text', 'a'], stop]],
  ['what comes behind the end', [text('a'), end(), text('b'), end('length')], [['text', 'a'], stop]],
  [
    'a length',
    [text('a'), end('length')],
    [
      ['text', 'a'],
      ['end', { reason: 'length' }],
    ],
  ],
  [
    'a repetition',
    [text('a'), end('repetition')],
    [
      ['text', 'a'],
      ['end', { reason: 'length', isRepetition: true }],
    ],
  ],
  ['other reasons', [text('a'), end(''), end(null), end('eos_token')], [['text', 'a'], stop]],
  ['a filter', [text('a'), end('content_filter')], [['text', 'a'], stop]],
  ['a reason without calls', [text('a'), end('tool_calls')], [['text', 'a'], stop]],
  [
    'completions',
    [JSON.stringify({ choices: [{ index: 0, text: 'a', finish_reason: 'stop' }] })],
    [['text', 'a'], stop],
  ],
  [
    "llama-server's own form",
    ['{"content":"a","stop":false}', '{"content":"","stop":true,"stop_type":"limit"}'],
    [
      ['text', 'a'],
      ['end', { reason: 'length' }],
    ],
  ],
  [
    'a call in pieces',
    [
      call({ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }),
      call({ index: 0, function: { arguments: '{"x"' } }),
      call({ index: 0, function: { arguments: ':1}' } }),
      end('tool_calls'),
    ],
    [['call', 0, 'f', '{"x":1}'], calls],
  ],
  [
    'calls without ids and an end of stop',
    [
      call({ index: 0, function: { name: 'f', arguments: '{}' } }),
      call({ index: 1, function: { name: 'g', arguments: '{}' } }),
      end(),
    ],
    [['call', 0, 'f', '{}'], ['call', 1, 'g', '{}'], calls],
  ],
  [
    'calls of the same number and other ids',
    [
      call({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }),
      call({ index: 0, id: 'b', function: { name: 'f', arguments: '{}' } }),
      end(),
    ],
    [['call', 0, 'f', '{}'], ['call', 1, 'f', '{}'], calls],
  ],
  [
    'calls without numbers and ids',
    [
      call({ function: { name: 'f', arguments: '{"a"' } }),
      call({ function: { name: 'f', arguments: ':1}' } }),
      call({ function: { name: 'f', arguments: '{}' } }),
      end(),
    ],
    [['call', 0, 'f', '{"a":1}'], ['call', 1, 'f', '{}'], calls],
  ],
  [
    'calls known by their ids',
    [
      call({ id: 'a', function: { name: 'f', arguments: '{"a":' } }),
      call({ id: 'b', function: { name: 'g', arguments: '{"b":' } }),
      call({ id: 'a', function: { arguments: '1}' } }),
      call({ id: 'b', function: { arguments: '2}' } }),
      end(),
    ],
    [['call', 0, 'f', '{"a":1}'], ['call', 1, 'g', '{"b":2}'], calls],
  ],
  [
    'calls in turn',
    [
      call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"a":' } }),
      call({ index: 1, id: 'b', function: { name: 'g', arguments: '{"b":' } }),
      call({ index: 0, function: { arguments: '"}"' } }),
      call({ index: 1, function: { arguments: '2}' } }),
      call({ index: 0, function: { arguments: '}' } }),
      end('tool_calls'),
    ],
    [['call', 0, 'f', '{"a":"}"}'], ['call', 1, 'g', '{"b":2}'], calls],
  ],
  [
    'calls in turn that the limit cuts',
    [
      call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"a":' } }),
      call({ index: 1, id: 'b', function: { name: 'g', arguments: '{"b":' } }),
      end('length'),
    ],
    [
      ['call', 0, 'f', '{"a":'],
      ['call', 1, 'g', '{"b":'],
      ['end', { reason: 'length' }],
    ],
  ],
  [
    'several calls in one chunk',
    [
      chunk({
        tool_calls: [
          { index: 0, function: { name: 'f' } },
          { index: 1, function: { name: 'g', arguments: '{}' } },
        ],
      }),
      end(),
    ],
    [['call', 0, 'f', '{}'], ['call', 1, 'g', '{}'], calls],
  ],
  [
    'a name in pieces',
    [
      call({ index: 0, function: { name: 'get_' } }),
      call({ index: 0, function: { name: 'time', arguments: '{}' } }),
      end(),
    ],
    [['call', 0, 'get_time', '{}'], calls],
  ],
  [
    'a name again and again',
    [1, 2, 3]
      .map((n) => call({ index: 0, id: 'a', function: { name: 'f', arguments: ['', '{"a"', ':1}'][n - 1] } }))
      .concat(end()),
    [['call', 0, 'f', '{"a":1}'], calls],
  ],
  [
    'arguments as an object',
    [call({ index: 0, function: { name: 'f', arguments: { a: [1] } } }), end()],
    [['call', 0, 'f', '{"a":[1]}'], calls],
  ],
  [
    'no arguments',
    [call({ index: 0, function: { name: 'f', arguments: null } }), end()],
    [['call', 0, 'f', '{}'], calls],
  ],
  ['nothing of a call', [call({ index: 0 }), text('a'), end()], [['text', 'a'], stop]],
  [
    'a function of the old form',
    [
      chunk({ function_call: { name: 'f', arguments: '{"a"' } }),
      chunk({ function_call: { arguments: ':1}' } }),
      end('function_call'),
    ],
    [['call', 0, 'f', '{"a":1}'], calls],
  ],
  [
    'text around calls',
    [text('a'), call({ index: 0, function: { name: 'f', arguments: '{}' } }), text('b'), end()],
    [['text', 'a'], ['call', 0, 'f', '{}'], ['text', 'b'], calls],
  ],
  [
    'one call where one is wanted',
    [
      call({ index: 0, function: { name: 'f', arguments: '{}' } }),
      call({ index: 1, function: { name: 'g', arguments: '{}' } }),
      text('b'),
    ],
    [['call', 0, 'f', '{}'], calls],
    { parallelToolCalls: false },
  ],
  [
    'calls where none may be',
    [call({ index: 0, function: { name: 'f', arguments: '{}' } }), text('a'), end('tool_calls')],
    [['text', 'a'], stop],
    { toolChoice: { mode: 'none' } },
  ],
  [
    'a stop string',
    [text('a E'), text('N'), text('D b')],
    [
      ['text', 'a '],
      ['end', { reason: 'stop', stopString: 'END' }],
    ],
    { stop: ['END'] },
  ],
  ['what only begins like one', [text('a EN'), end()], [['text', 'a EN'], stop], { stop: ['END'] }],
  [
    'none in thinking',
    [chunk({ reasoning: 'END' }), text('a'), end()],
    [['thinks', 'END'], ['text', 'a'], stop],
    { stop: ['END'] },
  ],
  [
    "vLLM's word of it",
    [text('a'), end('stop', { stop_reason: 'END' })],
    [
      ['text', 'a'],
      ['end', { reason: 'stop', stopString: 'END' }],
    ],
    { stop: ['END'] },
  ],
  [
    "SGLang's",
    [text('a'), end('stop', { matched_stop: 'END' })],
    [
      ['text', 'a'],
      ['end', { reason: 'stop', stopString: 'END' }],
    ],
    { stop: ['END'] },
  ],
  ['another that ended it', [text('a'), end('stop', { stop_reason: 2 })], [['text', 'a'], stop], { stop: ['END'] }],
  [
    'tags',
    [text('<thi'), text('nk>\nHm'), text('</th'), text('ink>\n'), text('\na'), end()],
    [['thinks', 'Hm'], ['text', 'a'], stop],
    {},
    { flavor: 'openai' },
  ],
  [
    'tags where thinking is off',
    [text('<think>Hm</think>a'), end()],
    [['text', 'a'], stop],
    { reasoning: { mode: 'off' } },
    { flavor: 'openai' },
  ],
  [
    'tags that the limit cuts',
    [text('<think>Hm</th'), end('length')],
    [
      ['thinks', 'Hm</th'],
      ['end', { reason: 'length' }],
    ],
    {},
    { flavor: 'openai' },
  ],
  ['tags later on', [text('a <think>'), end()], [['text', 'a <think>'], stop], {}, { flavor: 'openai' }],
  ['tags where a parser runs', [text('<think>a'), end()], [['text', '<think>a'], stop]],
  ['what only begins like one of them', [text(' <th'), end()], [['text', ' <th'], stop], {}, { flavor: 'openai' }],
])('reads %s', (_, ...[events, expected, request, options]) => {
  expect(told(read(newReader(request, options), events))).toEqual(expected)
})

test.each<[string, string[], string]>([
  ['at once', ['One, two, three'], ' three'],
  ['in pieces', ['One', ', two,', ' three'], ' three'],
  ['not at all', [' three'], ' three'],
  ['only in part', ['One', ' and two'], 'One and two'],
  ['and nothing else', ['One, two', ','], ''],
  ['cut', ['One, tw'], 'One, tw'],
])('llama-server says the beginning of an answer again, which is left out: %s', (_, pieces, expected) => {
  const begun = { role: 'assistant', content: textContent('One, two,') } as const
  const reader = newReader({ messages: [begun] }, { flavor: 'llamacpp' })
  const text = expected === '' ? [] : [['text', expected]]
  const events = pieces.map((piece) => JSON.stringify({ choices: [{ delta: { content: piece } }] }))
  expect(told(read(reader, [...events, end()]))).toEqual([...text, stop])
})

test('the echo of a text stands in front of the answer', () => {
  const prompts = [
    { kind: 'text', text: 'One', param: 'prompt[0]' },
    { kind: 'text', text: 'Two', param: 'prompt[1]' },
  ] as const
  const request = chatRequest({ prompts, choices: 4, echoesPrompt: true, stop: ['w'] })
  const reader = new ChatReader({ choice: 2, request, flavor: 'vllm' })
  expect(reader.read('{"choices":[{"text":" a","finish_reason":"length"}]}')).toEqual([
    { type: 'text-delta', choice: 2, text: 'Two' },
    { type: 'text-delta', choice: 2, text: ' a' },
    { type: 'choice-finish', choice: 2, reason: 'length' },
  ])
})

test.each<[string, string[], object]>([
  ['no JSON', ['<html>'], { kind: 'malformed' }],
  ['an error', ['{"error":{"message":"out of memory","code":503}}'], { kind: 'status', status: 503 }],
  [
    'an error of words',
    ['{"error":"out of memory"}'],
    { kind: 'status', status: 500, detail: '{"error":"out of memory"}' },
  ],
  ['an error of a client', ['{"error":{"type":"invalid_request_error","code":"x"}}'], { kind: 'status', status: 400 }],
  ["an inferd's queue", ['{"error":{"type":"server_error","code":"overloaded"}}'], { kind: 'status', status: 503 }],
  ['a type that is none', ['{"error":{"type":"toString"}}'], { kind: 'status', status: 500 }],
  ["vLLM's error", ['{"object":"error","message":"too long","code":400}'], { kind: 'status', status: 400 }],
  ['a code that is no status', ['{"error":{"code":"x"}}'], { kind: 'status', status: 500 }],
  ['an answer that was given up', [text('a'), end('abort')], { kind: 'cut' }],
  ['an end before the beginning', ['[DONE]'], { kind: 'cut' }],
  ['arguments without a name', [call({ index: 0, function: { arguments: '{}' } })], { kind: 'malformed' }],
  ['a nested error', [`{"error":${'['.repeat(50_000)}${']'.repeat(50_000)}}`], { kind: 'status' }],
  ['a deep code', [`{"error":{"code":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`], { kind: 'status', status: 500 }],
])('%s is a failure', (_, events, expected) => {
  try {
    read(newReader(), events)
  } catch (failure) {
    expect(failure).toBeInstanceOf(UpstreamFailure)
    expect(failure).toMatchObject(expected)
    return
  }
  throw new Error('it is none')
})

test('a stream that ends before the answer is cut, one that ends behind it is not', () => {
  const reader = newReader()
  reader.read(text('a'))
  expect(() => reader.requireEnd()).toThrow('before the answer did')
  reader.read(end())
  expect(reader.isFinished).toBe(true)
  expect(reader.isDone).toBe(false)
  reader.requireEnd()
})

test('nothing is read behind [DONE], or behind what was cut here', () => {
  const reader = newReader({ stop: ['END'] })
  reader.read(text('a END'))
  expect(reader.isDone).toBe(true)
  expect(reader.read('<html>')).toEqual([])
})

test('pieces of calls that never get a name are none, and do not count among the calls', () => {
  const empty = call({ function: {} })
  expect(told(read(newReader(), [empty, call({ index: 0, function: { name: 'f' } }), '[DONE]']))).toEqual([
    ['call', 0, 'f', '{}'],
    ['end', { reason: 'tool-calls' }],
  ])
  expect(told(read(newReader(), [empty, '[DONE]']))).toEqual([['end', { reason: 'stop' }]])
})
