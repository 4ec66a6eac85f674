import { expect, test } from 'bun:test'
import type { Tool, ToolChoice } from '../../core/chat.ts'
import { refusalOf } from '../../testing/refusal.ts'
import { mayCallInParallel, parseToolChoice } from './tool-choice.ts'

const tools: Tool[] = ['find', 'now', 'patch'].map((name) => ({ name, parameters: { type: 'object' } }))
const named = { type: 'function', function: { name: 'find' } }

test.each<[unknown, ToolChoice]>([
  [undefined, { mode: 'auto' }],
  [null, { mode: 'auto' }],
  ['auto', { mode: 'auto' }],
  ['none', { mode: 'none' }],
  ['required', { mode: 'required' }],
  ['any', { mode: 'required' }],
  [{ type: 'any' }, { mode: 'required' }],
  [named, { mode: 'required', allowed: ['find'] }],
  [
    { type: 'function', name: 'find' },
    { mode: 'required', allowed: ['find'] },
  ],
  [
    { type: 'custom', custom: { name: 'patch' } },
    { mode: 'required', allowed: ['patch'] },
  ],
  [
    { type: 'custom', name: 'patch' },
    { mode: 'required', allowed: ['patch'] },
  ],
  [
    {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [named, { type: 'custom', custom: { name: 'patch' } }] },
    },
    { mode: 'auto', allowed: ['find', 'patch'] },
  ],
  [
    {
      type: 'allowed_tools',
      mode: 'required',
      tools: [
        { type: 'function', name: 'now' },
        { type: 'function', name: 'now' },
      ],
    },
    { mode: 'required', allowed: ['now'] },
  ],
])('%j is %j', (value, choice) => {
  expect(parseToolChoice(value, tools)).toEqual(choice)
})

test.each<[string, unknown]>([
  ['tool_choice', 'maybe'],
  ['tool_choice', 'toString'],
  ['tool_choice', 5],
  ['tool_choice', []],
  ['tool_choice', { type: 'function', function: { name: 'lost' } }],
  ['tool_choice', { type: 'web_search' }],
  ['tool_choice.type', {}],
  ['tool_choice.function.name', { type: 'function' }],
  ['tool_choice.function.name', { type: 'function', function: { name: 5 } }],
  ['tool_choice.allowed_tools', { type: 'allowed_tools', allowed_tools: 5 }],
  ['tool_choice.allowed_tools.mode', { type: 'allowed_tools', allowed_tools: { mode: 'none', tools: [named] } }],
  ['tool_choice.allowed_tools.tools', { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } }],
  ['tool_choice.tools', { type: 'allowed_tools', mode: 'auto', tools: Array(1_025).fill(named) }],
  ['tool_choice.tools[0]', { type: 'allowed_tools', mode: 'auto', tools: ['find'] }],
  ['tool_choice.tools[0].function.name', { type: 'allowed_tools', tools: [{ type: 'mcp', server_label: 'x' }] }],
])('the refused field is %s in %j', (param, value) => {
  expect(refusalOf(() => parseToolChoice(value, tools))).toEqual({
    kind: 'invalid_request',
    code: 'invalid_value',
    param,
  })
})

test.each<[unknown, boolean]>([
  [undefined, true],
  ['required', true],
  [{ type: 'any' }, true],
  [{ type: 'allowed_tools', mode: 'required', tools: [named] }, true],
  [named, false],
  [{ type: 'custom', name: 'find' }, false],
  [{ type: 'tool', name: 'find' }, false],
  [{ type: 'local_shell' }, false],
])('%j leaves room for several calls: %p', (choice, isRoom) => {
  expect(mayCallInParallel(choice)).toBe(isRoom)
  expect(mayCallInParallel(choice, false)).toBe(false)
})

test('without tools, only a wish for a call is refused', () => {
  expect(parseToolChoice('none', [])).toEqual({ mode: 'auto' })
  expect(parseToolChoice('auto', [])).toEqual({ mode: 'auto' })
  expect(refusalOf(() => parseToolChoice('required', []))).toMatchObject({ param: 'tool_choice' })
  expect(refusalOf(() => parseToolChoice(named, []))).toMatchObject({ param: 'tool_choice' })
})
