import { expect, test } from 'bun:test'
import type { ChatMessage, ToolCall } from '../../core/chat.ts'
import { inOrder, resultsInCallOrder, withoutOrphans } from './message-order.ts'

const user: ChatMessage = { role: 'user', content: 'hi' }

function call(id: string): ToolCall {
  return { id, name: 'f', argumentsText: '{}' }
}

test('order means: system messages at the beginning joined, neighbours of a role joined, tool results kept apart', () => {
  const messages: ChatMessage[] = [
    { role: 'system', content: 'one' },
    { role: 'system', content: 'two' },
    user,
    { role: 'user', content: 'again' },
    { role: 'assistant', content: 'calls' },
    { role: 'tool', content: 'first' },
    { role: 'tool', content: 'second' },
  ]
  expect(inOrder(messages)).toEqual([
    { role: 'system', content: 'one\n\ntwo' },
    { role: 'user', content: 'hi\n\nagain' },
    { role: 'assistant', content: 'calls' },
    { role: 'tool', content: 'first' },
    { role: 'tool', content: 'second' },
  ])
})

test('a later system message stays where it stands, as words of the user or of a result', () => {
  const messages: ChatMessage[] = [
    { role: 'system', content: 'head' },
    user,
    { role: 'system', content: 'after the user' },
    { role: 'assistant', content: '', toolCalls: [call('a')] },
    { role: 'system', content: 'between' },
    { role: 'tool', content: 'result', toolCallId: 'a' },
    { role: 'system', content: 'after it' },
    { role: 'assistant', content: 'done' },
    { role: 'system', content: 'before the user' },
    { role: 'user', content: 'next' },
  ]
  expect(inOrder(messages)).toEqual([
    { role: 'system', content: 'head' },
    { role: 'user', content: 'hi\n\nafter the user' },
    { role: 'assistant', content: '', toolCalls: [call('a')] },
    { role: 'tool', content: 'result\n\nbetween\n\nafter it', toolCallId: 'a' },
    { role: 'assistant', content: 'done' },
    { role: 'user', content: 'before the user\n\nnext' },
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

test('results stand in the order of their calls, those of no call last', () => {
  const result = (toolCallId: string): ChatMessage => ({ role: 'tool', content: `of ${toolCallId}`, toolCallId })
  const first: ChatMessage = { role: 'assistant', content: '', toolCalls: [call('b'), call('a')] }
  // Ids may be used again.
  const second: ChatMessage = { role: 'assistant', content: '', toolCalls: [call('a'), call('b')] }
  const messages = [first, result('x'), result('a'), result('b'), user, second, result('b'), result('a')]
  expect(resultsInCallOrder(messages)).toEqual([
    ...[first, result('b'), result('a'), result('x'), user],
    ...[second, result('a'), result('b')],
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
