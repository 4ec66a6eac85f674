import { describe, expect, test } from 'bun:test'
import { ApiError } from '../../core/errors.ts'
import { type PlainMessage, plainMessages } from '../../testing/plain-messages.ts'
import { sealReasoning } from '../chat/sealed-reasoning.ts'
import { parseMessages } from './parse-messages.ts'

const toolUse = (id: string, name = 'f', input: unknown = {}) => ({ type: 'tool_use', id, name, input })
const result = (id: string, rest: object = {}) => ({ type: 'tool_result', tool_use_id: id, ...rest })
const text = (value: string) => ({ type: 'text', text: value })
const user = (...content: unknown[]) => ({ role: 'user', content })
const assistant = (...content: unknown[]) => ({ role: 'assistant', content })
const call = { role: 'assistant', content: [toolUse('toolu_1')] }
const image = { type: 'image', source: { data: 'iVBO', media_type: 'image/png', type: 'base64' } }
const pages = [text('page one'), image, text('page two')]

function parse(messages: readonly unknown[], system?: unknown): PlainMessage[] {
  return plainMessages(parseMessages(messages, system))
}

/** Returns code and `param` of the refusal. */
function refusal(messages: readonly unknown[], system?: unknown): string {
  try {
    parseMessages(messages, system)
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.param}`
    throw error
  }
  return 'accepted'
}

describe('system', () => {
  test('a string and an array of text blocks are both the first message', () => {
    const hi = { role: 'user', content: 'Hi' }
    expect(parse([hi], 'Be brief.')).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ])
    const blocks = [{ ...text('Be brief.'), cache_control: { type: 'ephemeral' } }, text('Be kind.')]
    expect(parse([hi], blocks)[0]).toEqual({ role: 'system', content: 'Be brief.\n\nBe kind.' })
    expect(parse([hi], [])).toEqual([{ role: 'user', content: 'Hi' }])
    expect(parse([hi], '')).toEqual([{ role: 'user', content: 'Hi' }])
  })

  test('edge case 49: the billing header is removed, as a block and as the first line of a string', () => {
    const header = 'x-anthropic-billing-header: cc_version=2.1.197.abc; cc_entrypoint=cli;'
    const hi = { role: 'user', content: 'Hi' }
    const expected = [{ role: 'system', content: 'Be brief.' }, hi] as PlainMessage[]
    expect(parse([hi], [text(header), text('Be brief.')])).toEqual(expected)
    expect(parse([hi], `${header}\nBe brief.`)).toEqual(expected)
    expect(parse([hi], [text(header)])).toEqual([hi] as PlainMessage[])
    expect(parse([hi], header)).toEqual([hi] as PlainMessage[])
  })

  test('edge case 48: leading system messages join the prompt, later ones stay in place', () => {
    expect(
      parse(
        [
          { role: 'system', content: 'One.' },
          { role: 'system', content: [text('Two.')] },
          { role: 'user', content: 'Hi' },
          { role: 'system', content: 'Three.' },
          { role: 'assistant', content: 'Hello' },
          { role: 'user', content: 'Bye' },
          { role: 'system', content: '' },
        ],
        'Zero.',
      ),
    ).toEqual([
      { role: 'system', content: 'Zero.\n\nOne.\n\nTwo.' },
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'Three.' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'Bye' },
    ])
  })
})

describe('system messages that change the settings of one turn', () => {
  const hi = { role: 'user', content: 'Hi' }
  const addition = { type: 'tool_addition', tool: { type: 'tool_reference', name: 'f' } }

  test.each([
    ['settings alone', { output_config: { effort: 'low' } }],
    ['null for content', { content: null, output_config: { effort: 'low' } }],
    ['changes of tools', { content: [addition, { ...addition, type: 'tool_removal' }] }],
  ])('with %s they say nothing', (_, fields) => {
    expect(parse([hi, { role: 'system', ...fields }])).toEqual(parse([hi]))
  })

  test('text beside a change of tools is kept', () => {
    expect(parse([hi, { role: 'system', content: [addition, text('Note.')] }]).at(-1)?.content).toBe('Note.')
  })
})

describe('pictures of users', () => {
  test('stand where they stood among texts, documents and results', () => {
    const paged = { type: 'document', context: 'C', source: { type: 'content', content: pages } }
    const content = [image, text('one'), text('two'), image, result('toolu_1', { content: 'done' }), image, paged]
    const [question, , , answer, last] = parse([user(text('Look'), image), call, user(), user(...content)])
    expect(question?.content).toBe('Look<messages[0].content[1]>')
    expect(answer).toMatchObject({ role: 'tool', content: 'done' })
    const inPages = 'C\npage one<messages[3].content[6].source.content[1]>page two'
    const before = '<messages[3].content[0]>one\ntwo<messages[3].content[3]><messages[3].content[5]>'
    expect(last).toEqual({ role: 'user', content: `${before}${inPages}` })
  })
})

describe('tool results', () => {
  test('several results and text are messages of tools and then one of the user, text in front of them or not', () => {
    const calls = assistant(text('Looking.'), toolUse('toolu_1', 'f', { a: 1 }), toolUse('toolu_2', 'g'))
    const results = [result('toolu_1', { content: 'one' }), result('toolu_2', { content: 'two' })]
    const expected: PlainMessage[] = [
      {
        role: 'assistant',
        content: 'Looking.',
        toolCalls: [
          { id: 'toolu_1', name: 'f', argumentsText: '{"a":1}' },
          { id: 'toolu_2', name: 'g', argumentsText: '{}' },
        ],
      },
      { role: 'tool', content: 'one', toolCallId: 'toolu_1' },
      { role: 'tool', content: 'two', toolCallId: 'toolu_2' },
      { role: 'user', content: 'Go on.' },
    ]
    expect(parse([calls, user(...results, text('Go on.'))])).toEqual(expected)
    expect(parse([calls, user(text('Go on.'), ...results)])).toEqual(expected)
    expect(parse([calls, user(...results)])).toEqual(expected.slice(0, -1))
  })

  test.each([
    ['a string', { content: 'ok' }, 'ok'],
    ['blocks', { content: [text('a'), text('b')] }, 'a\nb'],
    ['no content', {}, ''],
    ['null content', { content: null }, ''],
    [
      'an error',
      { content: '<tool_use_error>no</tool_use_error>', is_error: true },
      '<tool_use_error>no</tool_use_error>',
    ],
    [
      'an image',
      {
        content: [text('Here:'), image],
      },
      'Here:<messages[1].content[0].content[1]>',
    ],
    ['an image of nothing', { content: [{ type: 'image', source: {} }] }, '<messages[1].content[0].content[0]>'],
    [
      'images and texts',
      { content: [{ type: 'image' }, text('a'), text('b'), { type: 'image', source: { type: 'file' } }, text('c')] },
      '<messages[1].content[0].content[0]>a\nb<messages[1].content[0].content[3]>c',
    ],
    [
      'a document of texts and images',
      { content: [text('See'), { type: 'document', title: 'T', source: { type: 'content', content: pages } }] },
      'See\nT\npage one<messages[1].content[0].content[1].source.content[1]>page two',
    ],
    [
      'a text document',
      { content: [{ type: 'document', title: 'T', source: { type: 'text', media_type: 'text/plain', data: 'page' } }] },
      'T\npage',
    ],
    [
      'a PDF',
      { content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } }] },
      '<messages[1].content[0].content[0]>',
    ],
    [
      'a document by file',
      { content: [{ type: 'document', source: { type: 'file', file_id: 'f' } }] },
      '[document omitted: this model cannot read it]',
    ],
    [
      'a search result',
      { content: [{ type: 'search_result', title: 'T', source: 'http://a', content: [text('x'), text('y')] }] },
      'T\nhttp://a\nx\ny',
    ],
    ['a tool reference', { content: [{ type: 'tool_reference', tool_name: 'mcp__x' }] }, 'mcp__x'],
    ['a block of the future', { content: [{ type: 'hologram' }] }, '[hologram omitted: this model cannot read it]'],
  ])('edge case 56: a result with %s', (_, rest, content) => {
    expect(parse([call, user(result('toolu_1', rest))]).at(-1)).toEqual({
      role: 'tool',
      content,
      toolCallId: 'toolu_1',
    })
  })
})

describe('assistant blocks', () => {
  test.each([
    ['an empty signature', { signature: '' }],
    ['a foreign signature', { signature: 'EqQBCkYIBxgCKkD…' }],
    ['no signature', {}],
  ])('edge case 57: thinking with %s is taken', (_, rest) => {
    const thinking = { type: 'thinking', thinking: 'Hm', ...rest }
    expect(parse([assistant(thinking, { type: 'redacted_thinking', data: 'x' }, text('Yes.'))])).toEqual([
      { role: 'assistant', content: 'Yes.', reasoning: 'Hm' },
    ])
  })

  test('thinking that the client was not shown comes back in its signature', () => {
    const signature = sealReasoning('Hm')
    const reasoningOf = (fields: object) =>
      parse([assistant({ type: 'thinking', ...fields }, text('Yes.'))])[0]?.reasoning
    expect(reasoningOf({ thinking: '', signature })).toBe('Hm')
    expect(reasoningOf({ signature })).toBe('Hm')
    expect(reasoningOf({ thinking: 'Shown', signature })).toBe('Shown')
    expect(reasoningOf({ thinking: '', signature: signature.slice(0, -1) })).toBeUndefined()
    expect(reasoningOf({ thinking: '', signature: 7 })).toBeUndefined()
  })

  const thinking = { type: 'thinking', thinking: 'Hm', signature: '' }

  test('thinking alone, no blocks at all and an empty text are all messages', () => {
    const empty = [assistant(thinking), assistant(), assistant(text('')), { role: 'assistant', content: '' }]
    expect(parse([...empty, user(text('Hi'))])).toEqual([
      { role: 'assistant', content: '', reasoning: 'Hm' },
      { role: 'assistant', content: '' },
      { role: 'assistant', content: '' },
      { role: 'assistant', content: '' },
      { role: 'user', content: 'Hi' },
    ])
  })

  test('text that citations cut is one text; something in between begins a new line', () => {
    const blocks = [text('The sky'), text(' is blue.'), toolUse('toolu_1'), text('Look!')]
    expect(parse([assistant(...blocks)])[0]?.content).toBe('The sky is blue.\nLook!')
  })

  test('blocks of tools that ran elsewhere are told as text or left out', () => {
    const blocks = [
      text('Searching.'),
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'a' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: [{ type: 'web_search_result', title: 'T', url: 'http://a', encrypted_content: 'Eo8…' }],
      },
      {
        type: 'bash_code_execution_tool_result',
        tool_use_id: 'srvtoolu_2',
        content: { type: 'bash_code_execution_result', stdout: 'out', stderr: '', return_code: 0, content: [] },
      },
      { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', content: [text('from afar')] },
      { type: 'container_upload', file_id: 'file_1' },
      { type: 'compaction', content: 'What was.' },
      { type: 'hologram', data: 'x' },
      text('Found.'),
    ]
    expect(parse([assistant(...blocks)])).toEqual([
      { role: 'assistant', content: 'Searching.\nT\nhttp://a\nout\nfrom afar\nWhat was.\nFound.' },
    ])
  })

  test('an input that is no object stays what it is', () => {
    const blocks = [toolUse('a', 'f', '{"a":'), toolUse('b', 'f', null), toolUse('c', 'f', [1])]
    expect(parse([assistant(...blocks)])[0]?.toolCalls?.map(({ argumentsText }) => argumentsText)).toEqual([
      '{"a":',
      '{}',
      '[1]',
    ])
  })
})

describe('user blocks', () => {
  test('text, documents and search results are one text, line by line', () => {
    const content = [
      text('Read this:'),
      {
        type: 'document',
        title: 'T',
        context: 'C',
        citations: { enabled: true },
        source: { type: 'text', media_type: 'text/plain', data: 'page' },
      },
      { type: 'document', source: { type: 'content', content: [text('a'), text('b')] } },
      { type: 'search_result', title: 'R', source: 's', content: [text('c')] },
    ]
    expect(parse([user(...content)])).toEqual([{ role: 'user', content: 'Read this:\nT\nC\npage\na\nb\nR\ns\nc' }])
  })

  test('text is well-formed whatever came', () => {
    expect(parse([user(text('a\ud800'))])[0]?.content.isWellFormed()).toBe(true)
    expect(parse([call, user(result('toolu_1', { content: '\udc00' }))])[1]?.content.isWellFormed()).toBe(true)
  })
})

const at = 'messages[0]'
test.each([
  ['no object', [5], undefined, `invalid_value ${at}`],
  ['no role', [{ content: 'a' }], undefined, `missing_required_parameter ${at}.role`],
  ['an unknown role', [{ role: 'tool', content: 'a' }], undefined, `invalid_value ${at}.role`],
  ['content of another kind', [{ role: 'user', content: 5 }], undefined, `invalid_value ${at}.content`],
  ['a block without type', [user({ text: 'a' })], undefined, `missing_required_parameter ${at}.content[0].type`],
  ['a block that is text', [user('a')], undefined, `invalid_value ${at}.content[0]`],
  ['an unknown block', [user({ type: 'txt' })], undefined, `invalid_value ${at}.content[0].type`],
  ['an image of nothing', [user({ type: 'image' })], undefined, `missing_required_parameter ${at}.content[0].source`],
  [
    'an image without data',
    [user({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } })],
    undefined,
    `invalid_value ${at}.content[0].source.data`,
  ],
  [
    'an image without address',
    [user({ type: 'image', source: { type: 'url' } })],
    undefined,
    `invalid_value ${at}.content[0].source.url`,
  ],
  [
    'an image in a document without data',
    [user({ type: 'document', source: { type: 'content', content: [{ type: 'image', source: {} }] } })],
    undefined,
    `invalid_value ${at}.content[0].source.content[0].source.data`,
  ],
  ['an image by the assistant', [assistant({ type: 'image' })], undefined, `invalid_value ${at}.content[0].type`],
  [
    'an image by file',
    [user({ type: 'image', source: { type: 'file', file_id: 'f' } })],
    undefined,
    `unsupported_content ${at}.content[0]`,
  ],
  [
    'a document without data',
    [user({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: '' } })],
    undefined,
    `invalid_value ${at}.content[0].source.data`,
  ],
  [
    'a document by file',
    [user({ type: 'document', source: { type: 'file', file_id: 'f' } })],
    undefined,
    `unsupported_content ${at}.content[0]`,
  ],
  [
    'a document without source',
    [user({ type: 'document' })],
    undefined,
    `missing_required_parameter ${at}.content[0].source`,
  ],
  ['a call by the user', [user(toolUse('a'))], undefined, `invalid_value ${at}.content[0].type`],
  [
    'thinking by the user',
    [user({ type: 'thinking', thinking: 'a' })],
    undefined,
    `invalid_value ${at}.content[0].type`,
  ],
  ['a result by the assistant', [assistant(result('a'))], undefined, `invalid_value ${at}.content[0].type`],
  [
    'a result in a system message',
    [{ role: 'system', content: [result('a')] }],
    undefined,
    `invalid_value ${at}.content[0].type`,
  ],
  [
    'a call without id',
    [assistant({ type: 'tool_use', name: 'f' })],
    undefined,
    `missing_required_parameter ${at}.content[0].id`,
  ],
  [
    'a call without name',
    [assistant({ type: 'tool_use', id: 'a' })],
    undefined,
    `missing_required_parameter ${at}.content[0].name`,
  ],
  ['a system prompt of another kind', [user()], 5, 'invalid_value system'],
  ['a system prompt with an image', [user()], [{ type: 'image' }], 'invalid_value system[0].type'],
  ['too many blocks', [user(...Array.from({ length: 65_537 }, () => text('')))], undefined, 'invalid_value messages'],
  [
    'too many blocks inside a result',
    [call, user(result('toolu_1', { content: Array.from({ length: 65_537 }, () => text('')) }))],
    undefined,
    'invalid_value messages',
  ],
  [
    'too many blocks inside a document inside a result',
    [
      call,
      user(
        result('toolu_1', {
          content: [
            {
              type: 'document',
              source: { type: 'content', content: Array.from({ length: 65_537 }, () => text('')) },
            },
          ],
        }),
      ),
    ],
    undefined,
    'invalid_value messages',
  ],
])('%s is refused by name', (_, messages, system, expected) => {
  expect(refusal(messages, system)).toBe(expected)
})

test('an input nested without end is refused, not a stack that overflows', () => {
  const input = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  expect(refusal([assistant(toolUse('a', 'f', input))])).toBe('invalid_value messages[0].content[0].input')
})

test('a server block nested without end is read to some depth', () => {
  const content = JSON.parse(`${'{"content":'.repeat(100_000)}"x"${'}'.repeat(100_000)}`)
  expect(parse([assistant({ type: 'mcp_tool_result', content }, text('a'))])[0]?.content).toBe('a')
})
