import { expect, test } from 'bun:test'
import type { ChatMessage, ToolCall } from '../../core/chat.ts'
import { inOrder, withoutOrphans } from './message-order.ts'

const user: ChatMessage = { role: 'user', content: 'hi' }

function call(id: string): ToolCall {
  return { id, name: 'f', argumentsText: '{}' }
}

test('order means: one system message first, neighbours of a role joined, tool results kept apart', () => {
  const messages: ChatMessage[] = [
    user,
    { role: 'system', content: 'one' },
    { role: 'user', content: 'again' },
    { role: 'assistant', content: 'calls' },
    { role: 'tool', content: 'first' },
    { role: 'tool', content: 'second' },
    { role: 'system', content: 'two' },
  ]
  expect(inOrder(messages)).toEqual([
    { role: 'system', content: 'one\n\ntwo' },
    { role: 'user', content: 'hi\n\nagain' },
    { role: 'assistant', content: 'calls' },
    { role: 'tool', content: 'first' },
    { role: 'tool', content: 'second' },
  ])
})

test('joined assistant messages make all their calls, in front of the results', () => {
  const messages: ChatMessage[] = [
    user,
    { role: 'assistant', content: 'let me see', reasoning: 'hm' },
    { role: 'assistant', content: '', toolCalls: [call('a')] },
    { role: 'assistant', content: '', toolCalls: [call('b')] },
    { role: 'tool', content: '1', toolCallId: 'a' },
    { role: 'tool', content: '2', toolCallId: 'b' },
  ]
  expect(inOrder(messages)).toEqual([
    user,
    { role: 'assistant', content: 'let me see', reasoning: 'hm', toolCalls: [call('a'), call('b')] },
    { role: 'tool', content: '1', toolCallId: 'a' },
    { role: 'tool', content: '2', toolCallId: 'b' },
  ])
})

test('a result that follows no call becomes the user’s words', () => {
  const messages: ChatMessage[] = [
    { role: 'tool', content: 'early' },
    { role: 'assistant', content: '', toolCalls: [call('a')] },
    { role: 'tool', content: '1' },
    { role: 'tool', content: '2' },
  ]
  expect(withoutOrphans(messages).map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Result of a tool call:\nearly'],
    ['assistant', ''],
    ['tool', '1'],
    ['user', 'Result of a tool call:\n2'],
  ])
})
