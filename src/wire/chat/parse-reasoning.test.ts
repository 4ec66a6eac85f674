import { expect, test } from 'bun:test'
import { refusalOf } from '../../testing/refusal.ts'
import { parseChatCompletion } from '../chat-completions/parse-request.ts'

function parse(fields: Record<string, unknown>) {
  return parseChatCompletion({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields })
}

test.each<[Record<string, unknown>, object]>([
  [{}, {}],
  [{ reasoning_effort: 'none' }, { mode: 'off' }],
  [{ reasoning_effort: 'minimal' }, { mode: 'on', effort: 'minimal' }],
  [{ reasoning_effort: 'xhigh' }, { mode: 'on', effort: 'high' }],
  [{ reasoning: {} }, {}],
  [{ reasoning: { summary: 'auto' } }, {}],
  [{ reasoning: { enabled: true } }, { mode: 'on' }],
  [{ reasoning: { enabled: false } }, { mode: 'off' }],
  [{ reasoning: { enabled: false, effort: 'high', max_tokens: 5 } }, { mode: 'off' }],
  [{ reasoning: { effort: 'low' } }, { mode: 'on', effort: 'low' }],
  [{ reasoning: { effort: 'none', enabled: true } }, { mode: 'off' }],
  [{ reasoning: { max_tokens: 100 } }, { budgetTokens: 100 }],
  [{ reasoning: { max_tokens: 0 } }, { mode: 'off' }],
  [{ thinking: { type: 'enabled', budget_tokens: 2000 } }, { mode: 'on', budgetTokens: 2000 }],
  [{ thinking: { type: 'enabled', budget_tokens: 0 } }, { mode: 'off' }],
  [{ thinking: { type: 'disabled' } }, { mode: 'off' }],
  [{ thinking: { type: 'adaptive' } }, {}],
  [{ enable_thinking: false }, { templateMode: 'off' }],
  [{ chat_template_kwargs: { enable_thinking: true } }, { templateMode: 'on' }],
  [{ chat_template_kwargs: { thinking: false } }, { templateMode: 'off' }],
  [{ chat_template_kwargs: { thinking: 'a lot' } }, {}],
  [{ enable_thinking: true, chat_template_kwargs: { enable_thinking: false } }, { templateMode: 'on' }],
])('%j means %j', (fields, reasoning) => {
  expect(parse(fields).request.reasoning).toEqual(reasoning)
})

test.each<[string, Record<string, unknown>, object]>([
  ['reasoning before reasoning_effort', { reasoning: { enabled: false }, reasoning_effort: 'high' }, { mode: 'off' }],
  [
    'what reasoning leaves open from reasoning_effort',
    { reasoning: { enabled: true }, reasoning_effort: 'high' },
    { mode: 'on', effort: 'high' },
  ],
  [
    'reasoning_effort before thinking',
    { reasoning_effort: 'none', thinking: { type: 'enabled', budget_tokens: 5 } },
    { mode: 'off' },
  ],
  [
    'the budget from thinking where nothing else names one',
    { reasoning_effort: 'low', thinking: { type: 'disabled', budget_tokens: 5 } },
    { mode: 'on', effort: 'low' },
  ],
  [
    'thinking beside a wish to the template',
    { thinking: { type: 'enabled' }, enable_thinking: false },
    { mode: 'on', templateMode: 'off' },
  ],
])('of fields that contradict each other: %s', (_, fields, reasoning) => {
  expect(parse(fields).request.reasoning).toEqual(reasoning)
})

test('excluded thinking is hidden, not switched off', () => {
  const { request, hidesReasoning } = parse({ reasoning: { exclude: true, effort: 'low' } })
  expect(hidesReasoning).toBe(true)
  expect(request.reasoning).toEqual({ mode: 'on', effort: 'low' })
})

test('variables go to the template, but for the switches that others may overrule and what is not theirs', () => {
  const kwargs = {
    enable_thinking: true,
    thinking: false,
    messages: [],
    tools: 'none',
    locale: 'de',
    deep: { list: [1, null] },
  }
  expect(parse({ chat_template_kwargs: kwargs }).request.templateVariables).toEqual({
    locale: 'de',
    deep: { list: [1, null] },
  })
  expect(parse({ chat_template_kwargs: { thinking: true } }).request.templateVariables).toBeUndefined()
  expect(parse({ chat_template_kwargs: { '\ud800': ['\udc00'] } }).request.templateVariables).toEqual({
    '\ufffd': ['\ufffd'],
  })
})

function nested(depth: number): unknown {
  return JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
}

test.each<[string, string, Record<string, unknown>]>([
  ['reasoning_effort', 'invalid_value', { reasoning_effort: 'extreme' }],
  ['reasoning_effort', 'invalid_value', { reasoning_effort: 5 }],
  ['reasoning', 'invalid_value', { reasoning: 'high' }],
  ['reasoning.enabled', 'invalid_value', { reasoning: { enabled: 'yes' } }],
  ['reasoning.effort', 'invalid_value', { reasoning: { effort: 'toString' } }],
  ['reasoning.max_tokens', 'invalid_value', { reasoning: { max_tokens: -2 } }],
  ['thinking', 'invalid_value', { thinking: true }],
  ['thinking.type', 'missing_required_parameter', { thinking: {} }],
  ['thinking.type', 'invalid_value', { thinking: { type: 'maybe' } }],
  ['enable_thinking', 'invalid_value', { enable_thinking: 'no' }],
  ['chat_template_kwargs', 'invalid_value', { chat_template_kwargs: [] }],
  ['chat_template_kwargs', 'invalid_value', { chat_template_kwargs: nested(21) }],
  ['chat_template_kwargs', 'invalid_value', { chat_template_kwargs: nested(50_000) }],
  ['chat_template_kwargs', 'invalid_value', { chat_template_kwargs: { a: 'x'.repeat(70_000) } }],
])('the refused field is %s (%s)', (param, code, fields) => {
  expect(refusalOf(() => parse(fields))).toEqual({ kind: 'invalid_request', code, param })
})
