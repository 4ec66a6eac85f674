/** Conversations of thousands of messages beside short ones, in the real engine. */
import { expect, test } from 'bun:test'
import type { ChatMessage } from '../../core/chat.ts'
import { contentText, textContent } from '../../core/content.ts'
import { renderedAs } from '../../testing/chat-format.ts'
import { startStarterEngine } from '../../testing/starter-engine.ts'
import { allAbilities } from '../../testing/template-models.ts'
import { renderPrompt } from './prompt/prompt.ts'

/** Tool results without a call, as an attacker sends them. */
function toolMessages(count: number, textOf: (index: number) => string): ChatMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    role: 'tool',
    content: textContent(textOf(index)),
    toolCallId: `c${index}`,
  }))
}

const longConversation = toolMessages(8000, (index) => `r${index}`)

test('counting and rendering long conversations of others delays no short chat', async () => {
  const { send, ask, count, cancel, engine } = await startStarterEngine({ contextTokens: 32_768 })
  const ended: string[] = []
  const note = (name: string) => () => ended.push(name)
  const counted = count({ messages: longConversation }).then(note('long count'))
  const long = Array.from({ length: 3 }, () => send({ messages: longConversation }))
  const chats = long.map((chat) => chat.ended.then(note('long chat')))
  for (let chat = 0; chat < 5; chat++) await ask({ maxTokens: 2 }).then(note('short chat'))
  expect(ended).toEqual(['short chat', 'short chat', 'short chat', 'short chat', 'short chat'])
  for (const { id } of long) cancel(id)
  await Promise.all(chats)
  await counted
  expect(engine.stats()).toMatchObject({ running: 0, waiting: 0 })
}, 60_000)

test('looking for lost messages takes no longer than the prompt is long', async () => {
  const messages = toolMessages(100_000, (index) => `result number ${index} of a tool that was called before`)
  const lastWords = messages.slice(0, 1000).map(({ content }) => contentText(content))
  const prompt = [...messages.map(({ content }) => contentText(content)), ...lastWords].join('\n')
  let calls = 0
  const model = {
    abilities: allAbilities,
    applyTemplate: async () => {
      calls++
      return renderedAs(prompt)
    },
  }
  const common = { tools: [], toolChoice: 'none', parallelToolCalls: true, enableThinking: false } as const
  const request = { ...common, messages, templateVariables: {} }
  // Searching for each message from the beginning of the prompt would take a minute.
  await renderPrompt(model, request)
  expect(calls).toBe(1)
}, 10_000)
