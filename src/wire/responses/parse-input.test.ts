import { describe, expect, test } from 'bun:test'
import { ApiError } from '../../core/errors.ts'
import { type PlainMessage, plainMessages } from '../../testing/plain-messages.ts'
import { sealReasoning } from '../chat/sealed-reasoning.ts'
import { parseResponses } from './parse-request.ts'

const user = { role: 'user', content: 'Hi' } as const
const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'high' }

function messages(...input: unknown[]): PlainMessage[] {
  return plainMessages(parseResponses({ model: 'm', input }).request.messages)
}

function refusal(...input: unknown[]): unknown {
  try {
    return messages(...input)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { code: error.code, param: error.param }
  }
}

describe('messages', () => {
  test('a message may leave out its type, and has text or parts', () => {
    const parts = [
      { type: 'input_text', text: 'One' },
      { type: 'text', text: 'Two', cache_control: {} },
    ]
    expect(messages({ role: 'user', content: parts }, { type: 'message', ...user })).toEqual([
      { role: 'user', content: 'One\nTwo' },
      user,
    ])
  })

  test('edge case 38: developer messages of several parts, and users one after the other', () => {
    const sections = [
      { type: 'input_text', text: '<permissions>' },
      { type: 'input_text', text: '<apps>' },
    ]
    expect(
      messages(
        { type: 'message', role: 'developer', content: sections, id: 'msg_1' },
        { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'More.' }] },
        user,
        user,
        { type: 'message', role: 'developer', content: 'Late.' },
      ),
    ).toEqual([
      { role: 'system', content: '<permissions>\n\n<apps>' },
      { role: 'system', content: 'More.' },
      user,
      user,
      { role: 'system', content: 'Late.' },
    ])
  })

  test('what an assistant is said to have written is never refused', () => {
    const content = [
      { type: 'output_text', text: 'Yes', annotations: [], logprobs: [] },
      { type: 'refusal', refusal: 'No' },
      { type: 'invented_part', data: 1 },
    ]
    const item = { type: 'message', role: 'assistant', id: 'msg_1', status: 'completed', phase: 'commentary', content }
    expect(messages(user, item, user)).toEqual([user, { role: 'assistant', content: 'Yes\nNo' }, user])
  })

  test('edge case 13: images of any role stay where they stand', () => {
    const content = [image, { type: 'input_text', text: 'Look' }, { type: 'image_url', image_url: { url: 'x' } }, image]
    const written = '<input[1].content[0]>Look<input[1].content[2]><input[1].content[3]>'
    for (const [role, canonical] of [
      ['user', 'user'],
      ['developer', 'system'],
      ['system', 'system'],
      ['assistant', 'assistant'],
    ] as const) {
      expect(messages(user, { role, content })[1]).toEqual({ role: canonical, content: written })
    }
    const [, said] = messages(user, { role: 'assistant', content }, { role: 'assistant', content: 'So.' })
    expect(said?.content).toBe(`${written}So.`)
  })

  test('video, and files and images by id, are refused by name', () => {
    for (const [type, part] of [
      ['input_image', { type: 'input_image', file_id: 'file_1' }],
      ['input_file', { type: 'input_file', file_id: 'file_1' }],
      ['input_video', { type: 'input_video', input_video: {} }],
    ] as const) {
      const content = [{ type: 'input_text', text: 'Look' }, part]
      expect([type, refusal(user, { role: 'user', content })]).toEqual([
        type,
        { code: 'unsupported_content', param: 'input[1].content[1]' },
      ])
    }
  })

  test('a part that nobody knows is refused where the user says something with it', () => {
    const content = [{ type: 'input_hologram' }]
    expect(refusal({ role: 'user', content })).toEqual({ code: 'invalid_value', param: 'input[0].content[0].type' })
    expect(refusal({ role: 'user', content: [{ text: 'x' }] })).toMatchObject({ param: 'input[0].content[0].type' })
  })

  test('edge case 8: half a character becomes a whole one', () => {
    expect(messages({ role: 'user', content: 'a\ud83d' })).toEqual([{ role: 'user', content: 'a\ufffd' }])
  })
})

describe('calls and their results', () => {
  const call = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'f',
    arguments: '{"a":1}',
    status: 'completed',
  }

  test('edge case 37: thinking, text and calls are one assistant message, then one message per result', () => {
    expect(
      messages(
        user,
        { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Both.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking.' }] },
        call,
        { ...call, call_id: 'call_2', arguments: '{"a":2}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'one', id: 'fco_1' },
        { type: 'function_call_output', call_id: 'call_2', output: 'two' },
      ),
    ).toEqual([
      user,
      {
        role: 'assistant',
        content: 'Looking.',
        reasoning: 'Both.',
        toolCalls: [
          { id: 'call_1', name: 'f', argumentsText: '{"a":1}' },
          { id: 'call_2', name: 'f', argumentsText: '{"a":2}' },
        ],
      },
      { role: 'tool', content: 'one', toolCallId: 'call_1' },
      { role: 'tool', content: 'two', toolCallId: 'call_2' },
    ])
  })

  test('two texts in a row are paragraphs of one message', () => {
    const said = (content: string) => ({ type: 'message', role: 'assistant', content })
    expect(messages(user, said('One.'), said('Two.'), user)[1]).toEqual({ role: 'assistant', content: 'One.\n\nTwo.' })
  })

  test('edge case 12: arguments that are no JSON, empty, missing or an object', () => {
    const texts = ['{"cmd": ', '', undefined, { a: 1 }].map((given) => {
      const [, assistant] = messages(user, { ...call, arguments: given })
      return assistant?.toolCalls?.[0]?.argumentsText
    })
    expect(texts).toEqual(['{"cmd": ', '', '', '{"a":1}'])
  })

  test('a part that stands outside of any message is refused', () => {
    for (const part of [image, { type: 'input_text', text: 'Look' }, { type: 'input_file', file_id: 'f' }]) {
      expect(refusal(user, part)).toEqual({ code: 'invalid_value', param: 'input[1].type' })
    }
  })

  test('an image without a URL is refused', () => {
    const look = (part: object) => refusal({ role: 'user', content: [{ type: 'input_image', ...part }] })
    const param = 'input[0].content[0].image_url'
    expect(look({ detail: 'auto', image_url: null })).toEqual({ code: 'missing_required_parameter', param })
    expect(look({ image_url: '' })).toEqual({ code: 'invalid_value', param })
  })

  test('edge case 35: results as parts, images among them', () => {
    const output = [
      { type: 'input_text', text: 'Wall time: 1 s' },
      image,
      { type: 'input_file', file_id: 'file_1' },
      { type: 'input_text', text: 'Done' },
    ]
    expect(messages(user, call, { type: 'function_call_output', call_id: 'call_1', output })[2]).toEqual({
      role: 'tool',
      content: 'Wall time: 1 s<input[2].output[1]>[file omitted: this model cannot read it]\nDone',
      toolCallId: 'call_1',
    })
  })

  test('a result that names no call belongs to the oldest one without', () => {
    const [, , first, second] = messages(
      user,
      call,
      { ...call, call_id: 'call_2' },
      { type: 'function_call_output', call_id: 'call_1', output: 'one' },
      { type: 'function_call_output', output: 'two' },
    )
    expect([first?.toolCallId, second?.toolCallId]).toEqual(['call_1', 'call_2'])
  })

  test('a result without any call is kept as words of the user', () => {
    const output = { type: 'function_call_output', call_id: 'call_9', output: 'Found it' }
    expect(messages(user, output)).toEqual([user, { role: 'user', content: 'Tool output:\nFound it' }])
    expect(messages(user, { ...output, call_id: undefined })[1]?.content).toBe('Tool output:\nFound it')
  })

  test('a picture in a result without any call stays a result of a tool', () => {
    const output = { type: 'function_call_output', call_id: 'call_9', output: [image] }
    expect(messages(user, output)[1]).toEqual({ role: 'tool', content: '<input[1].output[0]>', toolCallId: 'call_9' })
    expect(messages(user, { ...output, call_id: null })[1]).toEqual({ role: 'tool', content: '<input[1].output[0]>' })
  })

  test('a picture in a result is one in the form of tool servers too, and with nothing in it', () => {
    const output = [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }, { type: 'input_image' }, image]
    for (const type of ['function_call_output', 'custom_tool_call_output']) {
      const [, , result] = messages(user, call, { type, call_id: 'call_1', output })
      expect(result?.content).toBe('<input[2].output[0]><input[2].output[1]><input[2].output[2]>')
    }
  })

  test('the screenshot of a computer is a picture that its call returned', () => {
    const computer = { type: 'computer_call', call_id: 'call_1', action: { type: 'screenshot' } }
    const output = { type: 'computer_screenshot', image_url: 'data:image/png;base64,AAAA' }
    const list = messages(user, computer, { type: 'computer_call_output', call_id: 'call_1', output })
    expect(list[2]).toEqual({ role: 'tool', content: '<input[2].output>', toolCallId: 'call_1' })
    const byId = { type: 'computer_screenshot', file_id: 'file_1' }
    expect(messages(user, computer, { type: 'computer_call_output', call_id: 'call_1', output: byId })[2]).toEqual({
      role: 'tool',
      content: '<input[2].output>',
      toolCallId: 'call_1',
    })
  })

  test('a call of a computer may have several actions', () => {
    const actions = [{ type: 'click', x: 1, y: 2 }, { type: 'screenshot' }]
    const [, asked] = messages(user, { type: 'computer_call', call_id: 'call_1', actions })
    expect(JSON.stringify(asked)).toContain('click')
  })

  test('results of any shape are read', () => {
    const texts = [null, 5, { ok: true }, [], ['a', null], [{ stdout: 'x', outcome: { exit_code: 0 } }]].map(
      (output) => {
        return messages(user, call, { type: 'function_call_output', call_id: 'call_1', output })[2]?.content
      },
    )
    expect(texts).toEqual(['', '5', '{"ok":true}', '', 'a\nnull', '{"stdout":"x","outcome":{"exit_code":0}}'])
  })

  test('custom calls are calls with their input in JSON', () => {
    const custom = {
      type: 'custom_tool_call',
      id: 'ctc_1',
      call_id: 'call_1',
      namespace: 'functions',
      name: 'exec',
      input: 'ls "a"',
    }
    const output = { type: 'custom_tool_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'b' }] }
    expect(messages(user, custom, output).slice(1)).toEqual([
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'call_1', name: 'functions__exec', argumentsText: '{"input":"ls \\"a\\""}' }],
      },
      { role: 'tool', content: 'b', toolCallId: 'call_1' },
    ])
  })

  test('the input of a custom call may be parts', () => {
    const input = [
      { type: 'input_text', text: 'ls' },
      { type: 'input_text', text: '-l' },
    ]
    const [, message] = messages(user, { type: 'custom_tool_call', call_id: 'call_1', name: 'exec', input })
    expect(message?.toolCalls?.[0]?.argumentsText).toBe('{"input":"ls\\n-l"}')
  })

  test('edge case 47: shell, patch, search and remote calls in the history', () => {
    const tools = [{ type: 'function', name: 'found', parameters: {} }, { type: 'web_search' }]
    const action = { type: 'exec', command: ['ls'], env: {}, working_directory: '/tmp', timeout_ms: null }
    const list = messages(
      user,
      { type: 'local_shell_call', id: 'lsh_1', call_id: 'call_1', action, status: 'completed' },
      { type: 'local_shell_call_output', id: 'call_1', output: '{"output":"a"}' },
      { type: 'shell_call', call_id: 'call_2', action: { commands: ['ls'] } },
      { type: 'shell_call_output', call_id: 'call_2', output: [{ stdout: 'a', stderr: '' }] },
      { type: 'apply_patch_call', call_id: 'call_3', operation: { type: 'delete_file', path: 'a' } },
      { type: 'apply_patch_call_output', call_id: 'call_3', status: 'completed' },
      {
        type: 'tool_search_call',
        call_id: 'call_4',
        execution: 'client',
        arguments: { query: 'x' },
        status: 'completed',
      },
      { type: 'tool_search_output', call_id: 'call_4', execution: 'client', tools, status: 'completed' },
      { type: 'mcp_call', id: 'mcp_1', server_label: 'dict', name: 'look', arguments: '{}', output: 'word' },
    )
    const calls = list.flatMap((message) => message.toolCalls ?? [])
    expect(calls).toEqual([
      { id: 'call_1', name: 'local_shell', argumentsText: '{"command":["ls"],"workdir":"/tmp"}' },
      { id: 'call_2', name: 'shell', argumentsText: '{"commands":["ls"]}' },
      { id: 'call_3', name: 'apply_patch', argumentsText: '{"type":"delete_file","path":"a"}' },
      { id: 'call_4', name: 'tool_search', argumentsText: '{"query":"x"}' },
      { id: 'mcp_1', name: 'dict__look', argumentsText: '{}' },
    ])
    expect(list.flatMap((message) => (message.role === 'tool' ? message.content : []))).toEqual([
      '{"output":"a"}',
      '{"stdout":"a","stderr":""}',
      'completed',
      'Tools that can be called now: found',
      'word',
    ])
  })

  test('the output of a local shell names its call in its own id', () => {
    const shell = { type: 'local_shell_call', action: { command: ['ls'] } }
    const output = { type: 'local_shell_call_output', id: 'call_2', output: 'b' }
    const list = messages(user, { ...shell, call_id: 'call_1' }, { ...shell, call_id: 'call_2' }, output)
    expect(list.at(-1)).toEqual({ role: 'tool', content: 'b', toolCallId: 'call_2' })
  })

  test('edge case 24: items that nobody knows or that only other servers make are passed over', () => {
    const strange = [
      'web_search_call',
      'image_generation_call',
      'program',
      'compaction_trigger',
      'toString',
      'new_thing',
    ]
    expect(messages(user, ...strange.map((type) => ({ type, id: 'x', content: 5, role: 'oracle' })))).toEqual([user])
  })
})

describe('thinking that comes back', () => {
  const answer = { type: 'message', role: 'assistant', content: 'Yes.' }

  function echoed(fields: Record<string, unknown>): string | undefined {
    return messages(user, { type: 'reasoning', id: 'rs_1', ...fields }, answer)[1]?.reasoning
  }

  test('edge case 36: its content counts, else our own token, else its summary', () => {
    const content = [{ type: 'reasoning_text', text: 'Content' }]
    const summary = [
      { type: 'summary_text', text: 'Sum' },
      { type: 'summary_text', text: 'mary' },
    ]
    const token = sealReasoning('Sealed')
    expect(echoed({ content, summary, encrypted_content: token })).toBe('Content')
    expect(echoed({ content: null, summary, encrypted_content: token })).toBe('Sealed')
    expect(echoed({ summary, encrypted_content: null })).toBe('Sum\n\nmary')
    expect(echoed({ summary, encrypted_content: `gAAAAA${'x'.repeat(200)}` })).toBe('Sum\n\nmary')
    expect(echoed({ summary: [] })).toBeUndefined()
    expect(echoed({})).toBeUndefined()
  })

  test('it is dropped once the user has spoken again, and where it led to nothing', () => {
    const thought = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }] }
    expect(messages(user, thought, answer, user)).toEqual([user, { role: 'assistant', content: 'Yes.' }, user])
    expect(messages(user, thought)).toEqual([user])
  })
})

describe('messages between agents', () => {
  const header = 'Message Type: NEW_TASK\nTask name: /root/kid\nSender: /root\nPayload:\n'

  function handOff(...content: unknown[]): string | undefined {
    return messages({ type: 'agent_message', id: 'amsg_1', author: '/root', recipient: '/root/kid', content })[0]
      ?.content
  }

  test('edge case 27: encrypted content that is in clear reaches the other agent', () => {
    const task = { type: 'encrypted_content', encrypted_content: 'Count the files.' }
    expect(handOff({ type: 'input_text', text: header }, task)).toBe(`${header}Count the files.`)
    expect(handOff({ type: 'input_text', text: header }, { type: 'input_text', text: 'Go.' })).toBe(`${header}Go.`)
  })

  test('what another server encrypted is said to be unreadable', () => {
    const foreign = { type: 'encrypted_content', encrypted_content: `gAAAAABk${'Ab_-'.repeat(40)}==` }
    expect(handOff({ type: 'input_text', text: header }, foreign)).toBe(
      `${header}[encrypted message not readable by this server]`,
    )
    const short = { type: 'encrypted_content', encrypted_content: 'gAAAAshort' }
    expect(handOff(short)).toBe('gAAAAshort')
  })

  test('a hand-off is a message of the user: thinking before it is over', () => {
    const list = messages(
      user,
      { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm' }], summary: [] },
      { type: 'function_call', call_id: 'call_1', namespace: 'collaboration', name: 'spawn_agent', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'aborted' },
      { type: 'agent_message', content: [{ type: 'input_text', text: header }] },
    )
    expect(list.map(({ role, reasoning }) => [role, reasoning])).toEqual([
      ['user', undefined],
      ['assistant', undefined],
      ['tool', undefined],
      ['user', undefined],
    ])
  })

  test('a compaction is read where it is one of our tokens', () => {
    const sealed = { type: 'compaction', encrypted_content: sealReasoning('We counted files.') }
    expect(messages(sealed, { type: 'compaction_summary', encrypted_content: 'gAAAA' }, user)).toEqual([
      { role: 'user', content: 'We counted files.' },
      user,
    ])
  })
})

test('edge case 46: the request for a summary of the conversation is an ordinary one', () => {
  const { request } = parseResponses({
    model: 'm',
    tools: [],
    parallel_tool_calls: false,
    input: [
      { type: 'message', role: 'developer', id: 'msg_1', content: [{ type: 'input_text', text: 'You are an agent.' }] },
      { type: 'message', role: 'user', id: 'msg_2', content: [{ type: 'input_text', text: 'Fix it.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'shell', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'ok' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Write a hand-off summary.' }] },
    ],
  })
  expect(request.messages.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
  expect(request).toMatchObject({ tools: [], parallelToolCalls: false })
})
