import { describe, expect, test } from 'bun:test'
import { refusalOf } from '../../testing/refusal.ts'
import { parseChatCompletion } from './parse-request.ts'

const find = {
  name: 'find',
  description: 'Finds.',
  parameters: { type: 'object', properties: { a: { type: 'string' } } },
}

function parse(fields: object) {
  return parseChatCompletion({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields })
}

test('functions are tools of which one is called at a time', () => {
  const { request, hasFunctions } = parse({ functions: [find, { name: 'stop' }] })
  const asTools = [find, { name: 'stop' }].map((each) => ({ type: 'function', function: each }))
  const withTools = parse({ tools: asTools, parallel_tool_calls: false })
  expect(hasFunctions).toBe(true)
  const places = (tools: typeof request.tools) => tools.map(({ parametersOrigin: _, ...tool }) => tool)
  expect({ ...request, tools: places(request.tools) }).toEqual({
    ...withTools.request,
    tools: places(withTools.request.tools),
  })
  expect(withTools.hasFunctions).toBe(false)
})

test.each([
  ['none', { mode: 'none' }],
  ['auto', { mode: 'auto' }],
  [{ name: 'find' }, { mode: 'required', allowed: ['find'] }],
  [null, { mode: 'auto' }],
])('function_call %j', (function_call, toolChoice) => {
  expect(parse({ functions: [find], function_call }).request.toolChoice).toEqual(toolChoice as { mode: 'auto' })
})

test('no functions are none', () => {
  for (const fields of [{ functions: [] }, { functions: null }, { functions: [], function_call: 'none' }]) {
    expect(parse(fields)).toEqual(parse({}))
  }
  expect(parse({ functions: [], tools: [{ type: 'function', function: find }] }).hasFunctions).toBe(false)
})

describe('refused', () => {
  test('functions of too many characters', () => {
    const functions = [{ ...find, description: 'x'.repeat(2 * 1024 * 1024) }]
    expect(refusalOf(() => parse({ functions }))).toMatchObject({ kind: 'invalid_request', param: 'functions' })
  })

  test.each<[string, object]>([
    ['functions', { functions: 5 }],
    ['functions[0]', { functions: ['find'] }],
    ['functions[0].name', { functions: [{}] }],
    ['functions[1].name', { functions: [find, find] }],
    ['functions[0].parameters', { functions: [{ name: 'a', parameters: 5 }] }],
    ['functions', { functions: Array(1025).fill(find) }],
    ['functions', { functions: [find], tools: [{ type: 'function', function: find }] }],
    ['function_call', { function_call: { name: 'find' } }],
    ['function_call', { functions: [], function_call: 'required' }],
    ['function_call', { functions: [find], function_call: 'required' }],
    ['function_call', { functions: [find], function_call: {} }],
    ['function_call', { functions: [find], function_call: { name: 'other' } }],
  ])('%s of %j', (param, fields) => {
    expect(refusalOf(() => parse(fields))).toMatchObject({ kind: 'invalid_request', param })
  })
})
