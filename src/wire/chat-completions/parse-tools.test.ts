import { expect, test } from 'bun:test'
import { refusalOf } from '../../testing/refusal.ts'
import { parseChatCompletion } from './parse-request.ts'

function parse(fields: Record<string, unknown>) {
  return parseChatCompletion({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields })
}

const find = { type: 'function', function: { name: 'find', description: 'Finds.', parameters: { type: 'object' } } }
const now = { type: 'function', function: { name: 'now' } }
const patch = { type: 'custom', custom: { name: 'patch', description: 'Edits.' } }

test('functions and custom tools are tools of one kind, and the custom ones are remembered', () => {
  const { request, customTools } = parse({ tools: [find, now, patch] })
  expect(request.tools).toEqual([
    {
      name: 'find',
      description: 'Finds.',
      parameters: { type: 'object' },
      parametersOrigin: { path: 'tools[0].function.parameters', isStrict: false },
    },
    { name: 'now', parameters: { type: 'object', properties: {} } },
    {
      name: 'patch',
      description: expect.stringMatching(/^Edits\.\n\n.*raw text/),
      parameters: {
        type: 'object',
        properties: { input: { type: 'string', description: expect.any(String) } },
        required: ['input'],
        additionalProperties: false,
      },
    },
  ])
  expect([...customTools]).toEqual(['patch'])
  expect(request.toolChoice).toEqual({ mode: 'auto' })
  expect(request.parallelToolCalls).toBe(true)
})

test('tools without the inner object are taken, and more than 128 of them', () => {
  expect(parse({ tools: [{ type: 'function', name: 'f' }] }).request.tools[0]?.name).toBe('f')
  const many = Array.from({ length: 1_000 }, (_, index) => ({ type: 'function', function: { name: `f${index}` } }))
  expect(parse({ tools: many }).request.tools).toHaveLength(1_000)
})

test('a grammar of a custom tool is told to the model', () => {
  const format = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } }
  const { tools } = parse({ tools: [{ type: 'custom', custom: { name: 'c', format } }] }).request
  expect(tools[0]?.description).toEndWith('must fit this grammar:\nstart: "x"')
})

test('a regular expression of a custom tool is told to the model, in the flat form too', () => {
  const format = { type: 'grammar', syntax: 'regex', definition: '^a+$' }
  const { tools } = parse({ tools: [{ type: 'custom', name: 'c', format }] }).request
  expect(tools[0]?.description).toEndWith('must fit this regular expression:\n^a+$')
})

test('parallel calls can be forbidden', () => {
  expect(parse({ tools: [now], parallel_tool_calls: false }).request.parallelToolCalls).toBe(false)
})

test.each<[string, Record<string, unknown>]>([
  ['tools', { tools: {} }],
  ['tools[0]', { tools: ['find'] }],
  ['tools[0].type', { tools: [{}] }],
  ['tools[0].type', { tools: [{ type: 'web_search' }] }],
  ['tools[0].function', { tools: [{ type: 'function' }] }],
  ['tools[0].function.name', { tools: [{ type: 'function', function: { name: '' } }] }],
  ['tools[0].function.name', { tools: [{ type: 'function', function: { name: 'a b' } }] }],
  ['tools[0].function.name', { tools: [{ type: 'function', function: { name: 'ä' } }] }],
  ['tools[0].function.name', { tools: [{ type: 'function', function: { name: 'a'.repeat(257) } }] }],
  ['tools[0].function.name', { tools: [{ type: 'function', function: { name: 5 } }] }],
  ['tools[0].function.description', { tools: [{ type: 'function', function: { name: 'f', description: 5 } }] }],
  ['tools[0].function.strict', { tools: [{ type: 'function', function: { name: 'f', strict: 'yes' } }] }],
  ['tools[0].custom.format', { tools: [{ type: 'custom', custom: { name: 'f', format: 'text' } }] }],
  ['tool_choice', { tool_choice: 'required' }],
  ['tool_choice', { tools: [now], tool_choice: 'sometimes' }],
])('the refused field is %s in %j', (param, fields) => {
  expect(refusalOf(() => parse(fields))).toMatchObject({ kind: 'invalid_request', param })
})

test('a name that comes twice is a conflict', () => {
  expect(refusalOf(() => parse({ tools: [now, find, now] }))).toMatchObject({
    code: 'tool_name_conflict',
    param: 'tools[2].function.name',
  })
})

test('too many tools are refused before one of them is read', () => {
  expect(refusalOf(() => parse({ tools: Array(10_000).fill(5) }))).toMatchObject({ param: 'tools' })
})
