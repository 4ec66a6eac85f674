import { describe, expect, test } from 'bun:test'
import { ApiError } from '../../core/errors.ts'
import { plainMessages } from '../../testing/plain-messages.ts'
import { translatedRequest } from '../../testing/translated-schema.ts'
import { parseResponses, type ResponsesCall } from './parse-request.ts'
import { toolByName } from './tool-directory.ts'

function parse(fields: Record<string, unknown>): ResponsesCall {
  return parseResponses({ model: 'm', input: 'Hi', ...fields })
}

function names(...tools: unknown[]): string[] {
  return parse({ tools }).request.tools.map((tool) => tool.name)
}

function refusal(fields: Record<string, unknown>): unknown {
  try {
    parse(fields)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { code: error.code, param: error.param }
  }
  return undefined
}

const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const find = { type: 'function', name: 'find', description: 'Finds.', strict: null, parameters }
const dictionary = {
  type: 'namespace',
  name: 'mcp__dict',
  description: 'A dictionary.',
  tools: [
    { type: 'function', name: 'look_up', description: 'Looks up.', parameters },
    { type: 'custom', name: 'add', description: 'Adds.' },
    { type: 'web_search' },
  ],
}

describe('tools', () => {
  test('functions are flat, or nested as in chat', () => {
    const flat = parse({ tools: [find] }).request.tools
    const { type, ...nested } = find
    expect(flat).toMatchObject([
      { name: 'find', description: 'Finds.', parameters: { properties: parameters.properties } },
    ])
    expect(parse({ tools: [{ type, function: nested }] }).request.tools).toEqual(
      flat.map((tool) => ({ ...tool, parametersOrigin: { path: 'tools[0].function.parameters', isStrict: false } })),
    )
  })

  test('edge case 21: a namespace is expanded, and its names are restored', () => {
    const { request, toolNames } = parse({ tools: [find, dictionary] })
    expect(request.tools.map(({ name, description }) => [name, description?.split('\n')[0]])).toEqual([
      ['find', 'Finds.'],
      ['mcp__dict__look_up', 'A dictionary.'],
      ['mcp__dict__add', 'Adds.'],
    ])
    expect(request.tools[1]?.description).toBe('A dictionary.\n\nLooks up.')
    expect(toolByName(toolNames, 'mcp__dict__look_up')).toMatchObject({ namespace: 'mcp__dict', name: 'look_up' })
  })

  test('edge case 22: a custom tool inside a namespace stays one', () => {
    expect(toolByName(parse({ tools: [dictionary] }).toolNames, 'mcp__dict__add')).toMatchObject({
      kind: 'custom',
      namespace: 'mcp__dict',
      name: 'add',
    })
  })

  test('edge case 23: tools that come in the input alone are offered', () => {
    const items = [
      {
        type: 'additional_tools',
        role: 'developer',
        id: 'at_1',
        tools: [{ type: 'custom', name: 'exec' }, dictionary],
      },
      { role: 'user', content: 'Hi' },
    ]
    const { request } = parse({ input: items, parallel_tool_calls: false })
    expect(request.tools.map((tool) => tool.name)).toEqual(['exec', 'mcp__dict__look_up', 'mcp__dict__add'])
    expect(plainMessages(request.messages)).toEqual([{ role: 'user', content: 'Hi' }])
  })

  test('edge case 24: tools that only other servers run, and types that nobody knows, are dropped', () => {
    const hosted = [
      ...['web_search', 'web_search_preview_2025_03_11', 'file_search', 'code_interpreter', 'image_generation'],
      ...['computer_use_preview', 'mcp', 'programmatic_tool_calling', 'shell', 'apply_patch', 'brand_new', 'toString'],
    ].map((type) => ({ type, external_web_access: true, server_label: 'x' }))
    expect(names(...hosted, find, { type: 'tool_search', execution: 'server' })).toEqual(['find'])
    expect(names(...hosted)).toEqual([])
  })

  test('edge case 25: two servers that give the same name are told apart', () => {
    const child = [{ type: 'function', name: 'b__c' }]
    const other = [{ type: 'function', name: 'c' }]
    expect(
      names({ type: 'namespace', name: 'a', tools: child }, { type: 'namespace', name: 'a__b', tools: other }),
    ).toEqual(['a__b__c', 'a__b__c_2'])
  })

  test('a plain tool keeps its name, wherever the one that looks alike stands', () => {
    const inside = { type: 'namespace', name: 'a', tools: [{ type: 'function', name: 'f' }] }
    expect(names(inside, { type: 'function', name: 'a__f' })).toEqual(['a__f', 'a__f_2'])
  })

  test('names inside a namespace may have any characters', () => {
    const { request, toolNames } = parse({
      tools: [{ type: 'namespace', name: 'büro', tools: [{ type: 'function', name: 'datei öffnen' }] }],
    })
    expect(request.tools[0]?.name).toBe('b_ro__datei__ffnen')
    expect(toolByName(toolNames, 'b_ro__datei__ffnen')).toMatchObject({ namespace: 'büro', name: 'datei öffnen' })
  })

  test('a tool that the history brings in again replaces the earlier one', () => {
    const { tools } = parse({
      tools: [find],
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'tool_search_output', call_id: 'c', tools: [{ ...find, description: 'Finds better.' }] },
      ],
    }).request
    expect(tools).toMatchObject([{ name: 'find', description: 'Finds better.' }])
  })

  test('a local shell and a search that the client runs are functions to the model', () => {
    const search = { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters }
    const { request, toolNames } = parse({ tools: [{ type: 'local_shell' }, search] })
    expect(request.tools).toMatchObject([
      { name: 'local_shell', parameters: { required: ['command'] } },
      { name: 'tool_search', description: 'Finds tools.' },
    ])
    expect(toolByName(toolNames, 'local_shell')?.kind).toBe('local-shell')
    expect(toolByName(toolNames, 'tool_search')?.kind).toBe('tool-search')
  })

  test('edge case 28: hand-offs between agents are marked as not encrypted', () => {
    const children = ['spawn_agent', 'send_message', 'followup_task', 'wait'].map((name) => ({
      type: 'function',
      name,
    }))
    const secret = { type: 'object', properties: { text: { type: 'string', encrypted: true } } }
    const { toolNames } = parse({
      tools: [
        { type: 'namespace', name: 'collaboration', tools: children },
        { type: 'namespace', name: 'other', tools: children },
        { type: 'function', name: 'tell', parameters: secret },
      ],
    })
    const marked = ['spawn_agent', 'send_message', 'followup_task', 'wait'].map((name) => {
      return [
        toolByName(toolNames, `collaboration__${name}`)?.hasClearMark,
        toolByName(toolNames, `other__${name}`)?.hasClearMark,
      ]
    })
    expect(marked).toEqual([
      [true, false],
      [true, false],
      [true, false],
      [false, false],
    ])
    expect(toolByName(toolNames, 'tell')?.hasClearMark).toBe(true)
  })

  test('edge case 29: the mark of encrypted arguments is no part of the schema, a property of that name is', async () => {
    const secret = {
      type: 'object',
      properties: { text: { type: 'string', encrypted: true }, encrypted: { type: 'boolean' } },
    }
    const { request } = parse({ tools: [{ type: 'function', name: 'tell', parameters: secret, strict: true }] })
    const [tool] = (await translatedRequest(request)).tools
    expect(JSON.stringify(tool?.parameters)).not.toContain('"encrypted":true')
    expect(tool?.parameters.properties).toMatchObject({ text: { type: 'string' }, encrypted: { type: 'boolean' } })
  })

  test.each([
    ['two tools of one name', { tools: [find, { ...find, type: 'custom' }] }, 'tool_name_conflict', 'tools[1].name'],
    [
      'two of one name inside a namespace',
      { tools: [dictionary, { type: 'namespace', name: 'mcp__dict', tools: [{ type: 'custom', name: 'add' }] }] },
      'tool_name_conflict',
      'tools[1].tools[0].name',
    ],
    ['no list', { tools: { find } }, 'invalid_value', 'tools'],
    ['a text as tool', { tools: ['find'] }, 'invalid_value', 'tools[0]'],
    ['a tool without type', { tools: [{ name: 'f' }] }, 'missing_required_parameter', 'tools[0].type'],
    ['a function without name', { tools: [{ type: 'function' }] }, 'missing_required_parameter', 'tools[0].name'],
    ['an odd name', { tools: [{ type: 'function', name: 'a b' }] }, 'invalid_value', 'tools[0].name'],
    [
      'a namespace without tools',
      { tools: [{ type: 'namespace', name: 'n' }] },
      'missing_required_parameter',
      'tools[0].tools',
    ],
    [
      'a child without name',
      { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function' }] }] },
      'missing_required_parameter',
      'tools[0].tools[0].name',
    ],
    [
      '10,000 tools',
      { tools: Array.from({ length: 10_000 }, (_, index) => ({ ...find, name: `f${index}` })) },
      'invalid_value',
      'tools',
    ],
    [
      '10,000 tools in a namespace',
      { tools: [{ type: 'namespace', name: 'n', tools: Array(10_000).fill(find) }] },
      'invalid_value',
      'tools',
    ],
    [
      'parameters of text',
      { tools: [{ type: 'function', name: 'f', parameters: 'x' }] },
      'invalid_schema',
      'tools[0].parameters',
    ],
  ])('%s', (_, fields, code, param) => {
    expect(refusal(fields)).toEqual({ code, param })
  })
})

describe('the choice among them', () => {
  function choice(
    tool_choice: unknown,
    tools: unknown[] = [find, dictionary, { type: 'web_search' }, { type: 'file_search' }],
  ): unknown {
    return parse({ tools, tool_choice }).request.toolChoice
  }

  test.each([
    ['auto', { mode: 'auto' }],
    ['none', { mode: 'none' }],
    ['required', { mode: 'required' }],
    ['any', { mode: 'required' }],
    [
      { type: 'function', name: 'find' },
      { mode: 'required', allowed: ['find'] },
    ],
    [
      { type: 'function', function: { name: 'find' } },
      { mode: 'required', allowed: ['find'] },
    ],
    [
      { type: 'function', name: 'look_up', namespace: 'mcp__dict' },
      { mode: 'required', allowed: ['mcp__dict__look_up'] },
    ],
    [
      { type: 'custom', name: 'add', namespace: 'mcp__dict' },
      { mode: 'required', allowed: ['mcp__dict__add'] },
    ],
    [
      {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'web_search' },
          { type: 'file_search' },
          { type: 'function', name: 'find' },
          { type: 'custom', name: 'add', namespace: 'mcp__dict' },
        ],
      },
      { mode: 'auto', allowed: ['web_search', 'find', 'mcp__dict__add'] },
    ],
  ] as const)('%j', (given, expected) => {
    expect(choice(given)).toEqual(expected as unknown)
  })

  test('the search of the web can be chosen where it is offered', () => {
    expect(choice({ type: 'web_search' })).toEqual({ mode: 'required', allowed: ['web_search'] })
    expect(refusal({ tools: [find], tool_choice: { type: 'web_search' } })).toMatchObject({ param: 'tool_choice' })
  })

  test('tools known by their type alone can be chosen', () => {
    expect(choice({ type: 'local_shell' }, [{ type: 'local_shell' }])).toEqual({
      mode: 'required',
      allowed: ['local_shell'],
    })
  })

  test.each([
    ['a tool of another server', { type: 'file_search' }],
    ['a tool that is not there', { type: 'function', name: 'other' }],
    ['a child without its namespace', { type: 'function', name: 'look_up' }],
    ['a shell that nobody offered', { type: 'local_shell' }],
    ['a word nobody knows', 'perhaps'],
    ['a list of very many', { type: 'allowed_tools', tools: [find, ...Array(2_000).fill({ type: 'web_search' })] }],
  ])('%s is refused', (_, tool_choice) => {
    expect(refusal({ tools: [find, dictionary, { type: 'web_search' }], tool_choice })).toMatchObject({
      code: 'invalid_value',
      param: expect.stringMatching(/^tool_choice/),
    })
  })

  test('a call cannot be required when all tools were dropped', () => {
    expect(refusal({ tools: [{ type: 'file_search' }], tool_choice: 'required' })).toMatchObject({
      param: 'tool_choice',
    })
    expect(choice('auto', [{ type: 'file_search' }])).toEqual({ mode: 'auto' })
  })
})
