import { describe, expect, test } from 'bun:test'
import type { ChatEvent } from '../../core/chat.ts'
import { ApiError } from '../../core/errors.ts'
import { nothingConsumed } from '../../core/usage.ts'
import { answerContext } from '../../testing/answer-context.ts'
import { toEcho } from './request-echo.ts'
import { ResponseEncoder } from './response-encoder.ts'
import type { ReasoningStyle } from './text-item.ts'
import { ToolDirectory } from './tool-directory.ts'

const raw: ReasoningStyle = { isSummary: false, isSealed: false }
const usage = { ...nothingConsumed, promptTokens: 9, cachedTokens: 4, completionTokens: 5, reasoningTokens: 2 }
const start: ChatEvent = { type: 'start', promptTokens: 9, cachedTokens: 4 }
const finish: ChatEvent = { type: 'finish', usage }

function text(value: string): ChatEvent {
  return { type: 'text-delta', choice: 0, text: value }
}

function thought(value: string): ChatEvent {
  return { type: 'reasoning-delta', choice: 0, text: value }
}

function call(index: number, name: string, ...pieces: string[]): ChatEvent[] {
  return [
    { type: 'tool-call-start', choice: 0, index, name },
    ...pieces.map((argumentsText) => ({ type: 'tool-call-delta', choice: 0, index, argumentsText }) as const),
  ]
}

function end(reason: 'stop' | 'length' | 'tool-calls' = 'stop'): ChatEvent[] {
  return [{ type: 'choice-finish', choice: 0, reason }, finish]
}

function directory(): ToolDirectory {
  const made = new ToolDirectory()
  const offers = [
    { kind: 'function', name: 'find' },
    { kind: 'function', name: 'look_up', namespace: 'mcp__dict' },
    { kind: 'custom', name: 'add', namespace: 'mcp__dict' },
    { kind: 'function', name: 'spawn_agent', namespace: 'collaboration', hasClearMark: true },
    { kind: 'local-shell', name: 'local_shell' },
    { kind: 'tool-search', name: 'tool_search' },
  ] as const
  for (const offer of offers) made.offer({ hasClearMark: false, ...offer }, { parameters: {} })
  return made
}

function newEncoder(reasoningStyle: ReasoningStyle | undefined): ResponseEncoder {
  let made = 0
  return new ResponseEncoder(
    { model: 'org/model', echo: toEcho({}), toolNames: directory().names(), reasoningStyle, isStored: false },
    {
      ...answerContext(),
      newId: (prefix: string) => `${prefix}${prefix === 'resp_' ? 1 : ++made}`,
      now: () => 1_700_000_009,
    },
  )
}

function frames(events: readonly ChatEvent[], reasoning = raw): string[] {
  const encoder = newEncoder(reasoning)
  return [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
}

interface WireEvent {
  readonly type: string
  readonly sequence_number: number
  // Further fields, which differ by type
  readonly [field: string]: unknown
}

/** Returns the data of each frame and checks its form. */
function parsed(list: readonly string[]): WireEvent[] {
  return list.map((frame) => {
    const [, name, data] = /^event: (\S+)\ndata: (.+)\n\n$/.exec(frame) ?? []
    const event = JSON.parse(data ?? '')
    expect(event.type).toBe(name)
    return event
  })
}

interface WireItem {
  readonly type: string
  readonly id: string
  readonly call_id?: string
  readonly status: string
  readonly arguments?: string
}

/** Returns the output in the stream's last event. */
function outputOf(events: readonly WireEvent[]): readonly WireItem[] {
  const response = events.at(-1)?.response as { output: WireItem[] } | undefined // our own event
  return response?.output ?? []
}

function types(list: readonly string[]): string[] {
  return parsed(list).map((event) => event.type.replace('response.', ''))
}

const state =
  '"instructions":null,"max_output_tokens":null,"metadata":{},"parallel_tool_calls":true,"prompt_cache_key":null,' +
  '"reasoning":{"effort":null,"summary":null},"safety_identifier":null,"temperature":null,' +
  '"text":{"format":{"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":null,' +
  '"user":null,"background":false,"max_tool_calls":null,"previous_response_id":null,"service_tier":"default",' +
  '"store":false,"truncation":"disabled"}'

function response(status: string, output: string, counts = 'null', details = '"error":null,"incomplete_details":null') {
  return (
    `{"id":"resp_1","object":"response","created_at":1700000000,"status":"${status}",` +
    `"completed_at":${status === 'completed' ? '1700000009' : 'null'},${details},` +
    `"model":"org/model","output":[${output}],"usage":${counts},${state}`
  )
}

const counts =
  '{"input_tokens":9,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":0},"output_tokens":5,' +
  '"output_tokens_details":{"reasoning_tokens":2},"total_tokens":14}'

function frame(type: string, sequenceNumber: number, fields: string): string {
  return `event: response.${type}\ndata: {"type":"response.${type}","sequence_number":${sequenceNumber},${fields}}\n\n`
}

describe('the bytes of a stream', () => {
  test('edge case 30: a message is announced with its part before any delta', () => {
    const part = '{"type":"output_text","text":"Hi \\"🙂\\"\\n","annotations":[],"logprobs":[]}'
    const item = `{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[${part}]}`
    const place = '"item_id":"msg_1","output_index":0,"content_index":0'
    expect(frames([start, text('Hi '), text('"🙂"\n'), ...end()])).toEqual([
      frame('created', 0, `"response":${response('in_progress', '')}`),
      frame('in_progress', 1, `"response":${response('in_progress', '')}`),
      frame(
        'output_item.added',
        2,
        '"output_index":0,"item":{"id":"msg_1","type":"message","role":"assistant","status":"in_progress","content":[]}',
      ),
      frame('content_part.added', 3, `${place},"part":{"type":"output_text","text":"","annotations":[],"logprobs":[]}`),
      frame('output_text.delta', 4, `${place},"delta":"Hi ","logprobs":[]`),
      frame('output_text.delta', 5, `${place},"delta":"\\"🙂\\"\\n","logprobs":[]`),
      frame('output_text.done', 6, `${place},"text":"Hi \\"🙂\\"\\n","logprobs":[]`),
      frame('content_part.done', 7, `${place},"part":${part}`),
      frame('output_item.done', 8, `"output_index":0,"item":${item}`),
      frame('completed', 9, `"response":${response('completed', item, counts)}`),
    ])
  })

  test('thinking as raw content', () => {
    const part = '{"type":"reasoning_text","text":"Hm."}'
    const place = '"item_id":"rs_1","output_index":0,"content_index":0'
    expect(frames([start, thought('Hm'), thought('.'), ...end()]).slice(2, -1)).toEqual([
      frame(
        'output_item.added',
        2,
        '"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[],"content":[],"status":"in_progress"}',
      ),
      frame('content_part.added', 3, `${place},"part":{"type":"reasoning_text","text":""}`),
      frame('reasoning_text.delta', 4, `${place},"delta":"Hm"`),
      frame('reasoning_text.delta', 5, `${place},"delta":"."`),
      frame('reasoning_text.done', 6, `${place},"text":"Hm."`),
      frame('content_part.done', 7, `${place},"part":${part}`),
      frame(
        'output_item.done',
        8,
        `"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[],"content":[${part}],"encrypted_content":null,"status":"completed"}`,
      ),
    ])
  })

  test('thinking as a summary, with our token', () => {
    const form = { isSummary: true, isSealed: true }
    const part = '{"type":"summary_text","text":"Hm"}'
    const place = '"item_id":"rs_1","output_index":0,"summary_index":0'
    expect(frames([start, thought('Hm'), ...end()], form).slice(2, -1)).toEqual([
      frame(
        'output_item.added',
        2,
        '"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[],"content":[],"status":"in_progress"}',
      ),
      frame('reasoning_summary_part.added', 3, `${place},"part":{"type":"summary_text","text":""}`),
      frame('reasoning_summary_text.delta', 4, `${place},"delta":"Hm"`),
      frame('reasoning_summary_text.done', 5, `${place},"text":"Hm"`),
      frame('reasoning_summary_part.done', 6, `${place},"part":${part}`),
      frame(
        'output_item.done',
        7,
        `"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[${part}],"content":[],"encrypted_content":"inferd1:9449456fee86667b.SG0","status":"completed"}`,
      ),
    ])
  })

  test('a call of a function in a namespace', () => {
    const named = '"call_id":"call_2","name":"look_up","namespace":"mcp__dict"'
    const place = '"item_id":"fc_1","output_index":0'
    const events = [start, ...call(0, 'mcp__dict__look_up', '{"w"', ':1}'), ...end('tool-calls')]
    expect(frames(events).slice(2, -1)).toEqual([
      frame(
        'output_item.added',
        2,
        `"output_index":0,"item":{"id":"fc_1","type":"function_call",${named},"arguments":"","status":"in_progress"}`,
      ),
      frame('function_call_arguments.delta', 3, `${place},"delta":"{\\"w\\""`),
      frame('function_call_arguments.delta', 4, `${place},"delta":":1}"`),
      frame('function_call_arguments.done', 5, `${place},"name":"look_up","arguments":"{\\"w\\":1}"`),
      frame(
        'output_item.done',
        6,
        `"output_index":0,"item":{"id":"fc_1","type":"function_call",${named},"arguments":"{\\"w\\":1}","status":"completed"}`,
      ),
    ])
  })

  test('edge case 43: the input of a custom tool streams decoded', () => {
    const named = '"call_id":"call_2","name":"add","namespace":"mcp__dict"'
    const place = '"item_id":"ctc_1","output_index":0'
    const events = [start, ...call(0, 'mcp__dict__add', '{"in', 'put": "a\\', 'nb', '"}'), ...end('tool-calls')]
    expect(frames(events).slice(2, -1)).toEqual([
      frame(
        'output_item.added',
        2,
        `"output_index":0,"item":{"id":"ctc_1","type":"custom_tool_call",${named},"input":"","status":"in_progress"}`,
      ),
      frame('custom_tool_call_input.delta', 3, `${place},"delta":"a"`),
      frame('custom_tool_call_input.delta', 4, `${place},"delta":"\\nb"`),
      frame('custom_tool_call_input.done', 5, `${place},"input":"a\\nb"`),
      frame(
        'output_item.done',
        6,
        `"output_index":0,"item":{"id":"ctc_1","type":"custom_tool_call",${named},"input":"a\\nb","status":"completed"}`,
      ),
    ])
  })
})

describe('output', () => {
  test('items come in the order in which the model writes, densely numbered', () => {
    const list = frames([
      start,
      thought('Hm'),
      text('First'),
      ...call(0, 'find', '{}'),
      thought('And'),
      ...call(1, 'find', '{}'),
      text('Last'),
      ...end('tool-calls'),
    ])
    const events = parsed(list)
    const added = events.filter((event) => event.type === 'response.output_item.added')
    expect(added.map((event) => event.output_index)).toEqual([0, 1, 2, 3, 4, 5])
    expect(outputOf(events).map((item) => item.type)).toEqual([
      ...['reasoning', 'message', 'function_call'],
      ...['reasoning', 'function_call', 'message'],
    ])
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
  })

  test('edge case 34: the done event of an item holds what the last event holds', () => {
    const list = parsed(frames([start, thought('Hm'), text('Yes'), ...call(0, 'find', '{"a":1}'), ...end()]))
    const done = list.filter((event) => event.type === 'response.output_item.done').map((event) => event.item)
    const output = outputOf(list)
    expect(done).toEqual([...output])
  })

  test('edge case 32: ids of items and calls are all different and stay the same', () => {
    const list = parsed(frames([start, text('a'), ...call(0, 'find', '{}'), ...call(1, 'find', '{}'), ...end()]))
    const output = outputOf(list)
    const ids = output.flatMap(({ id, call_id }) => (call_id === undefined ? [id] : [id, call_id]))
    expect(new Set(ids).size).toBe(5)
    const placed = list.filter((event) => event.item_id !== undefined)
    for (const event of placed) expect(event.item_id).toBe(output[Number(event.output_index)]?.id)
    expect(placed.length).toBeGreaterThan(5)
  })

  test('edge case 4: a call without arguments ends with an empty object', () => {
    const list = parsed(frames([start, ...call(0, 'find'), ...call(1, 'find', ''), ...end('tool-calls')]))
    const deltas = list.filter((event) => event.type === 'response.function_call_arguments.delta')
    expect(deltas.map((event) => event.delta)).toEqual(['{}', '{}'])
    const output = outputOf(list)
    expect(output.map((item) => item.arguments)).toEqual(['{}', '{}'])
  })

  test('white space alone makes no item, and is kept in front of text', () => {
    const kinds = (events: ChatEvent[]) => {
      const output = outputOf(parsed(frames([start, ...events, ...end()])))
      return output
    }
    expect(kinds([text('\n'), text('\n')])).toEqual([])
    expect(kinds([])).toEqual([])
    expect(kinds([thought('\n'), text('\n\n'), ...call(0, 'find', '{}')])).toHaveLength(1)
    expect(kinds([text('\n'), text('Yes'), text('\n')])).toMatchObject([{ content: [{ text: '\nYes\n' }] }])
  })

  test('thinking that is not to be shown is left out, and does not part the text', () => {
    const encoder = newEncoder(undefined)
    const list = [start, thought('Hm'), text('a'), thought('Hm'), text('b'), ...end()].flatMap((event) =>
      encoder.push(event),
    )
    expect(types(list).filter((type) => type === 'output_item.added')).toHaveLength(1)
    expect(list.join('')).not.toContain('Hm')
  })

  test('edge case 44: a call of a tool that nobody offered is passed through', () => {
    const output = outputOf(parsed(frames([start, ...call(0, 'shell2', '{}'), ...end()])))
    expect(output).toMatchObject([{ type: 'function_call', name: 'shell2', arguments: '{}' }])
    expect(output[0]).not.toHaveProperty('namespace')
  })

  test('edge case 28: hand-offs are marked in added, done and completed', () => {
    const list = parsed(
      frames([start, ...call(0, 'collaboration__spawn_agent', '{}'), ...call(1, 'find', '{}'), ...end()]),
    )
    const items = list.flatMap((event) => event.item ?? []) as object[]
    const output = outputOf(list)
    const marks = [...items, ...output].map((item) =>
      'encrypted_function_args' in item ? item.encrypted_function_args : null,
    )
    expect(marks).toEqual([[], [], null, null, [], null])
  })

  test('a shell call and a search are announced whole', () => {
    const list = parsed(
      frames([
        start,
        ...call(0, 'local_shell', '{"command":["ls",', '"-l"],"workdir":"/tmp","timeout_ms":5}'),
        ...call(1, 'tool_search', '{"query":', '"x"}'),
        ...end('tool-calls'),
      ]),
    )
    expect(list.slice(2, -1).map((event) => [event.type, event.item])).toEqual(
      [
        {
          type: 'local_shell_call',
          action: { type: 'exec', command: ['ls', '-l'], env: {}, working_directory: '/tmp', timeout_ms: 5 },
        },
        { type: 'tool_search_call', execution: 'client', arguments: { query: 'x' } },
      ].flatMap((item) => [
        ['response.output_item.added', expect.objectContaining({ ...item, status: 'in_progress' })],
        ['response.output_item.done', expect.objectContaining({ ...item, status: 'completed' })],
      ]),
    )
  })

  test('a shell call whose arguments are none comes back as an ordinary call', () => {
    const list = parsed(
      frames([start, ...call(0, 'local_shell', '{"command":"ls"}'), ...call(1, 'tool_search', '[]'), ...end()]),
    )
    const output = outputOf(list)
    expect(output).toMatchObject([
      { type: 'function_call', name: 'local_shell', arguments: '{"command":"ls"}' },
      { type: 'function_call', name: 'tool_search', arguments: '[]' },
    ])
    expect(list.filter((event) => event.type === 'response.function_call_arguments.done')).toHaveLength(2)
  })

  test('arguments of another form than they should have still come back', () => {
    const events = [
      ...call(0, 'mcp__dict__add', '{"x":1,', '"input":"late"}'),
      ...call(1, 'local_shell', '{"command":["ls",1]}'),
      ...call(2, 'tool_search'),
    ]
    expect(outputOf(parsed(frames([start, ...events, ...end()])))).toMatchObject([
      { type: 'custom_tool_call', input: 'late' },
      { type: 'function_call', name: 'local_shell' },
      { type: 'tool_search_call', arguments: {} },
    ])
  })

  test('log probabilities come with each delta and once more with the whole text', () => {
    const token = { token: 'Hi', bytes: [72, 105], logprob: -0.5, alternatives: [] }
    const held: ChatEvent = { type: 'text-delta', choice: 0, text: '', logprobs: [token] }
    const list = parsed(frames([start, held, { ...held, text: 'Hi' }, { ...held, text: '!' }, ...end()]))
    const wire = { token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [] }
    const deltas = list.filter((event) => event.type === 'response.output_text.delta')
    expect(deltas.map((event) => [event.delta, event.logprobs])).toEqual([
      ['Hi', [wire, wire]],
      ['!', [wire]],
    ])
    const done = list.find((event) => event.type === 'response.output_text.done')
    expect(done?.logprobs).toEqual([wire, wire, wire])
  })
})

describe('ends', () => {
  const failure = new ApiError('engine', 'The engine stopped.', { code: 'engine_failed' })

  test('edge case 42: a limit ends with incomplete, integers in usage, and the text that there is', () => {
    const list = frames([start, text('Half'), ...end('length')])
    const part = '{"type":"output_text","text":"Half","annotations":[],"logprobs":[]}'
    const item = `{"id":"msg_1","type":"message","role":"assistant","status":"incomplete","content":[${part}]}`
    expect(list.slice(-2)).toEqual([
      frame('output_item.done', 7, `"output_index":0,"item":${item}`),
      frame(
        'incomplete',
        8,
        `"response":${response('incomplete', item, counts, '"error":null,"incomplete_details":{"reason":"max_output_tokens"}')}`,
      ),
    ])
  })

  test('a call that a limit cuts is never done: agents would run it', () => {
    for (const [name, pieces, written] of [
      ['find', ['{"path":"/tm'], { arguments: '{"path":"/tm' }],
      ['mcp__dict__add', ['{"input":"rm /tm'], { input: 'rm /tm' }],
      ['local_shell', ['{"command":["rm"'], { arguments: '{"command":["rm"' }],
    ] as const) {
      const list = frames([start, ...call(0, name, ...pieces), ...end('length')])
      expect(types(list)).not.toContain('output_item.done')
      expect(types(list).at(-1)).toBe('incomplete')
      expect(outputOf(parsed(list))).toEqual([expect.objectContaining({ ...written, status: 'incomplete' })])
    }
  })

  test('edge case 33: a failure ends with failed, what was begun stays without its done', () => {
    const encoder = newEncoder(raw)
    const begun = [start, text('Whole'), ...call(0, 'find', '{"a"')].flatMap((event) => encoder.push(event))
    const list = [...begun, ...encoder.fail(failure)]
    expect(types(list).slice(-2)).toEqual(['function_call_arguments.delta', 'failed'])
    expect(parsed(list).at(-1)?.response).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: 'The engine stopped.' },
      output: [
        { type: 'message', status: 'completed' },
        { type: 'function_call', arguments: '{"a"', status: 'incomplete' },
      ],
      usage: null,
    })
  })

  test('a failure before anything else is still a whole stream', () => {
    expect(types(newEncoder(raw).fail(failure))).toEqual(['created', 'in_progress', 'failed'])
  })

  test.each([
    ['context_length_exceeded', 'invalid_request', 'context_length_exceeded'],
    ['invalid_value', 'invalid_request', 'invalid_prompt'],
    ['insufficient_balance', 'insufficient_balance', 'insufficient_quota'],
    ['queue_full', 'rate_limit', 'rate_limit_exceeded'],
    ['overloaded', 'unavailable', 'server_error'],
    ['internal_error', 'internal', 'server_error'],
  ] as const)('edge case 41: the failure %s is told as a code that clients act on', (code, kind, expected) => {
    const list = newEncoder(raw).fail(new ApiError(kind, 'So it is.', { code }))
    expect(parsed(list).at(-1)?.response).toMatchObject({ error: { code: expected, message: 'So it is.' } })
  })

  test('edge case 31: there are no events but those that clients know', () => {
    const known = [
      ...['created', 'in_progress', 'completed', 'incomplete', 'failed', 'output_item.added', 'output_item.done'],
      ...['content_part.added', 'content_part.done', 'output_text.delta', 'output_text.done', 'reasoning_text.delta'],
      ...['reasoning_text.done', 'reasoning_summary_part.added', 'reasoning_summary_part.done'],
      ...['reasoning_summary_text.delta', 'reasoning_summary_text.done', 'function_call_arguments.delta'],
      ...['function_call_arguments.done', 'custom_tool_call_input.delta', 'custom_tool_call_input.done'],
    ]
    const everything = [
      start,
      thought('Hm'),
      text('Yes'),
      ...call(0, 'find', '{}'),
      ...call(1, 'mcp__dict__add', '{"input":"x"}'),
      ...call(2, 'local_shell', '{"command":["ls"]}'),
      ...end('tool-calls'),
    ]
    for (const isSummary of [true, false]) {
      const list = types(frames(everything, { isSummary, isSealed: true }))
      expect(list.filter((type) => !known.includes(type))).toEqual([])
      expect(list.slice(0, 2)).toEqual(['created', 'in_progress'])
      expect(list.at(-1)).toBe('completed')
    }
  })

  test('edge case 7: a sign of life is a comment, not an event', () => {
    expect(newEncoder(raw).keepAlive()).toMatch(/^:.*\n\n$/)
  })
})

test('edge case 19: the whole answer is what the stream ends with', () => {
  const events = [start, thought('Hm'), text('Yes'), ...call(0, 'find', '{}'), ...end('tool-calls')]
  const encoder = newEncoder(raw)
  for (const event of events) encoder.push(event)
  expect(encoder.response()).toEqual(parsed(frames(events)).at(-1)?.response as object)
})

test('edge case 16: log probabilities are an empty list when they are off', () => {
  expect(frames([start, text('Hi'), ...end()]).filter((one) => one.includes('"logprobs":null'))).toEqual([])
})
