import { expect, test } from 'bun:test'
import type { ChatMessage, ToolCall } from '../../core/chat.ts'
import { contentText, textContent } from '../../core/content.ts'
import { inOrder, resultsInCallOrder, withoutOrphans } from './message-order.ts'

const user: ChatMessage = { role: 'user', content: textContent('hi') }

function call(id: string): ToolCall {
  return { id, name: 'f', argumentsText: '{}' }
}

test('order means: system messages at the beginning joined, neighbours of a role joined, tool results kept apart', () => {
  const messages: ChatMessage[] = [
    { role: 'system', content: textContent('one') },
    { role: 'system', content: textContent('two') },
    user,
    { role: 'user', content: textContent('again') },
    { role: 'assistant', content: textContent('calls') },
    { role: 'tool', content: textContent('first') },
    { role: 'tool', content: textContent('second') },
  ]
  expect(inOrder(messages)).toEqual([
    { role: 'system', content: textContent('one\n\ntwo') },
    { role: 'user', content: textContent('hi\n\nagain') },
    { role: 'assistant', content: textContent('calls') },
    { role: 'tool', content: textContent('first') },
    { role: 'tool', content: textContent('second') },
  ])
})

test('a later system message stays where it stands, as words of the user or of a result', () => {
  const messages: ChatMessage[] = [
    { role: 'system', content: textContent('head') },
    user,
    { role: 'system', content: textContent('after the user') },
    { role: 'assistant', content: [], toolCalls: [call('a')] },
    { role: 'system', content: textContent('between') },
    { role: 'tool', content: textContent('result'), toolCallId: 'a' },
    { role: 'system', content: textContent('after it') },
    { role: 'assistant', content: textContent('done') },
    { role: 'system', content: textContent('before the user') },
    { role: 'user', content: textContent('next') },
  ]
  expect(inOrder(messages)).toEqual([
    { role: 'system', content: textContent('head') },
    { role: 'user', content: textContent('hi\n\nafter the user') },
    { role: 'assistant', content: [], toolCalls: [call('a')] },
    { role: 'tool', content: textContent('result\n\nbetween\n\nafter it'), toolCallId: 'a' },
    { role: 'assistant', content: textContent('done') },
    { role: 'user', content: textContent('before the user\n\nnext') },
  ])
})

test('joined assistant messages make all their calls, in front of the results', () => {
  const messages: ChatMessage[] = [
    user,
    { role: 'assistant', content: textContent('let me see'), reasoning: 'hm' },
    { role: 'assistant', content: [], toolCalls: [call('a')] },
    { role: 'assistant', content: [], toolCalls: [call('b')] },
    { role: 'tool', content: textContent('1'), toolCallId: 'a' },
    { role: 'tool', content: textContent('2'), toolCallId: 'b' },
  ]
  expect(inOrder(messages)).toEqual([
    user,
    { role: 'assistant', content: textContent('let me see'), reasoning: 'hm', toolCalls: [call('a'), call('b')] },
    { role: 'tool', content: textContent('1'), toolCallId: 'a' },
    { role: 'tool', content: textContent('2'), toolCallId: 'b' },
  ])
})

test('results stand in the order of their calls, those of no call last', () => {
  const result = (toolCallId: string): ChatMessage => ({
    role: 'tool',
    content: textContent(`of ${toolCallId}`),
    toolCallId,
  })
  const first: ChatMessage = { role: 'assistant', content: [], toolCalls: [call('b'), call('a')] }
  // Ids may be used again.
  const second: ChatMessage = { role: 'assistant', content: [], toolCalls: [call('a'), call('b')] }
  const messages = [first, result('x'), result('a'), result('b'), user, second, result('b'), result('a')]
  expect(resultsInCallOrder(messages)).toEqual([
    ...[first, result('b'), result('a'), result('x'), user],
    ...[second, result('a'), result('b')],
  ])
})

test('a result that follows no call becomes the user’s words', () => {
  const messages: ChatMessage[] = [
    { role: 'tool', content: textContent('early') },
    { role: 'assistant', content: [], toolCalls: [call('a')] },
    { role: 'tool', content: textContent('1') },
    { role: 'tool', content: textContent('2') },
  ]
  expect(withoutOrphans(messages).map(({ role, content }) => [role, contentText(content)])).toEqual([
    ['user', 'Result of a tool call:\nearly'],
    ['assistant', ''],
    ['tool', '1'],
    ['user', 'Result of a tool call:\n2'],
  ])
})
