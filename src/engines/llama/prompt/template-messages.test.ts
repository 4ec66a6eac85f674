import { expect, test } from 'bun:test'
import type { ChatMessage, ToolCall } from '../../../core/chat.ts'
import { textContent } from '../../../core/content.ts'
import { toTemplateMessages, toToolsJson } from './template-messages.ts'

function called(...toolCalls: readonly ToolCall[]): ChatMessage {
  return { role: 'assistant', content: [], toolCalls }
}

function call(id: string, argumentsText = '{}', name = 'f'): ToolCall {
  return { id, name, argumentsText }
}

function argumentsShown(argumentsText: string): unknown {
  const [message] = toTemplateMessages([called(call('a', argumentsText))], false)
  return JSON.parse(JSON.stringify(message)).tool_calls[0].function.arguments
}

test('arguments that are no object are shown inside of one', () => {
  expect(argumentsShown('{"a": [1, {"b": 2}]}')).toBe('{"a": [1, {"b": 2}]}')
  expect(argumentsShown('')).toBe('{}')
  expect(argumentsShown('{"cmd": ')).toBe('{"arguments":"{\\"cmd\\": "}')
  expect(argumentsShown('[1]')).toBe('{"arguments":"[1]"}')
  const deep = `{"a":${'['.repeat(100)}${']'.repeat(100)}}`
  expect(argumentsShown(deep)).toBe(JSON.stringify({ arguments: deep }))
  expect(argumentsShown('{"text": "[[[[{{{{\\""}')).toBe('{"text": "[[[[{{{{\\""}')
})

test('results know their call by its id, else by its turn', () => {
  const messages: ChatMessage[] = [
    called(call('a', '{}', 'first'), call('b', '{}', 'second')),
    { role: 'tool', content: textContent('2'), toolCallId: 'b' },
    { role: 'tool', content: textContent('1') },
    { role: 'tool', content: textContent('?'), toolCallId: 'unheard of' },
  ]
  const [, ...results] = toTemplateMessages(messages, false)
  expect(results).toEqual([
    { role: 'tool', content: '2', tool_call_id: 'b', name: 'second' },
    { role: 'tool', content: '1', tool_call_id: 'a', name: 'first' },
    { role: 'tool', content: '?', tool_call_id: 'unheard of' },
  ])
})

test('short ids are nine letters and digits, the same for call and result', () => {
  const messages: ChatMessage[] = [
    called(call('call_0123456789'), call('abcdefghi')),
    { role: 'tool', content: textContent('1'), toolCallId: 'call_0123456789' },
    { role: 'tool', content: textContent('2'), toolCallId: 'abcdefghi' },
  ]
  const text = JSON.stringify(toTemplateMessages(messages, true))
  const ids = [...text.matchAll(/"(?:id|tool_call_id)":"([^"]*)"/g)].map(([, id]) => id)
  expect(ids[0]).toMatch(/^[a-z0-9]{9}$/)
  expect(ids).toEqual([ids[0], 'abcdefghi', ids[0], 'abcdefghi'])
})

test('thinking is handed on, and tools are functions', () => {
  const [message] = toTemplateMessages([{ role: 'assistant', content: textContent('x'), reasoning: 'hm' }], false)
  expect(message).toEqual({ role: 'assistant', content: 'x', reasoning_content: 'hm' })
  expect(toToolsJson([])).toBe('')
  expect(JSON.parse(toToolsJson([{ name: 'f', parameters: { type: 'object' } }]))).toEqual([
    { type: 'function', function: { name: 'f', description: '', parameters: { type: 'object' } } },
  ])
})
