import { expect, test } from 'bun:test'
import type { ChatRequest } from '../../../core/chat.ts'
import { textContent } from '../../../core/content.ts'
import { chatRequest } from '../../../testing/chat-request.ts'
import { requireRoom, tokenizePrompt } from './tokenize-prompt.ts'

/** Makes one token per `charactersPerToken`, and records how much text it received. */
function tokenizer(charactersPerToken: number) {
  const given: number[] = []
  const tokenize = async (text: string) => {
    given.push(text.length)
    return new Int32Array(Math.ceil(text.length / charactersPerToken))
  }
  return { given, tokenize }
}

function messages(...texts: string[]): ChatRequest {
  return chatRequest({ messages: texts.map((content) => ({ role: 'user', content: textContent(content) })) })
}

const tooLong = expect.objectContaining({ code: 'context_length_exceeded', param: 'messages' })

test('a prompt leaves room for one token at least', async () => {
  const tokenize = (characters: number) =>
    tokenizePrompt({ model: tokenizer(1), vision: undefined }, { prompt: 'x'.repeat(characters), pictures: [] }, 100)
  expect((await tokenize(99)).units).toHaveLength(99)
  await expect(tokenize(100)).rejects.toEqual(tooLong)
})

test('megabytes of text are refused from their beginning', async () => {
  const model = tokenizer(4)
  await expect(requireRoom(model, messages('x'.repeat(1_000_000)), 100)).rejects.toEqual(tooLong)
  expect(model.given).toEqual([1600])
})

test('text that only looks long is not refused before it was tokenised whole', async () => {
  await requireRoom(tokenizer(50), messages('x'.repeat(3000)), 100)
})

test('what may fit is not looked into twice', async () => {
  const model = tokenizer(4)
  await requireRoom(model, messages('hello', 'there'), 100)
  expect(model.given).toEqual([])
})

test('more messages than a template could open and close are refused', async () => {
  const many = (count: number) => messages(...new Array<string>(count).fill('x'))
  await requireRoom(tokenizer(4), many(49), 100)
  await expect(requireRoom(tokenizer(4), many(50), 100)).rejects.toEqual(tooLong)
})

test('tools and calls take room as text does', async () => {
  const [message] = messages('hi').messages
  if (message === undefined) throw new Error('no message')
  const tool = { name: 'f', parameters: { description: 'x'.repeat(10_000) } }
  const withTools = chatRequest({ messages: [message], tools: [tool] })
  await expect(requireRoom(tokenizer(4), withTools, 100)).rejects.toEqual(tooLong)
  const toolCalls = [{ id: 'a', name: 'f', argumentsText: 'x'.repeat(10_000) }]
  const withCalls = chatRequest({ messages: [message, { role: 'assistant', content: [], toolCalls }] })
  await expect(requireRoom(tokenizer(4), withCalls, 100)).rejects.toEqual(tooLong)
})
