import { expect, test } from 'bun:test'
import type { Reasoning } from '../../../core/chat.ts'
import type { JsonValue } from '../../../core/json.ts'
import { chatRequest } from '../../../testing/chat-request.ts'
import { thinkingOf } from './thinking.ts'

function thinking(reasoning: Reasoning, templateVariables?: Record<string, JsonValue>) {
  return thinkingOf(chatRequest({ reasoning, ...(templateVariables && { templateVariables }) }))
}

test('is what the request or its wish to the template says, the request first; else the template decides', () => {
  expect(thinking({ templateMode: 'off' }).enableThinking).toBe(false)
  expect(thinking({ mode: 'on', templateMode: 'off' }).enableThinking).toBe(true)
  expect(thinking({}, { style: 'short', thinking: 'maybe' })).toEqual({
    enableThinking: undefined,
    budgetTokens: -1,
    templateVariables: { style: '"short"' },
  })
})

test('an effort or a budget asks to think', () => {
  expect(thinking({ effort: 'low' }).enableThinking).toBe(true)
  expect(thinking({ budgetTokens: 5 }).enableThinking).toBe(true)
  expect(thinking({ effort: 'low', templateMode: 'off' }).enableThinking).toBe(false)
})

test('off is a budget of nothing, and a budget of nothing is off', () => {
  expect(thinking({ mode: 'off', budgetTokens: 100 })).toMatchObject({ enableThinking: false, budgetTokens: 0 })
  expect(thinking({ mode: 'on', budgetTokens: 0 })).toMatchObject({ enableThinking: false, budgetTokens: 0 })
  expect(thinking({ mode: 'on' }).budgetTokens).toBe(-1)
  expect(thinking({ mode: 'on', budgetTokens: 7 }).budgetTokens).toBe(7)
})

test('templates are told under every name that they know', () => {
  expect(thinking({ mode: 'on', effort: 'minimal' }).templateVariables).toEqual({
    enable_thinking: 'true',
    thinking: 'true',
    reasoning: 'true',
    reasoning_effort: '"low"',
  })
  expect(thinking({ mode: 'off', effort: 'high' }).templateVariables).toEqual({
    enable_thinking: 'false',
    thinking: 'false',
    reasoning: 'false',
  })
})

test('a caller’s variables are handed on as JSON, but do not switch thinking', () => {
  const { templateVariables } = thinking({ mode: 'off' }, { enable_thinking: true, style: { short: true }, name: 'x' })
  expect(templateVariables).toEqual({
    enable_thinking: 'false',
    thinking: 'false',
    reasoning: 'false',
    style: '{"short":true}',
    name: '"x"',
  })
})
