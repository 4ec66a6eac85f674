/** Requests in Claude Code's form, and the resulting engine requests. */
import { expect, test } from 'bun:test'
import { plainMessages } from '../../testing/plain-messages.ts'
import bodies from './__fixtures__/claude-code.json' with { type: 'json' }
import { parseMessagesCall } from './parse-request.ts'

const systemPrompt = { role: 'system', content: 'You are a coding agent.\n\nWork in the folder of the project.' }
const question = {
  role: 'user',
  content: '<system-reminder>\nToday is a day.\n</system-reminder>\n\nWhat is in the picture?',
}

test('edge cases 48, 49, 55: a first turn is the prompt without its header, the question and the note behind it', () => {
  const call = parseMessagesCall(bodies.firstTurn)
  expect(call).toMatchObject({ model: 'fake', stream: true, thinkingDisplay: 'whole' })
  expect(plainMessages(call.request.messages)).toEqual([
    { ...systemPrompt, role: 'system' },
    { ...question, role: 'user' },
    { role: 'system', content: 'The following skills are available: none.' },
  ])
  expect(call.request).toMatchObject({
    maxTokens: 32_000,
    toolChoice: { mode: 'auto' },
    parallelToolCalls: true,
    reasoning: { mode: 'on', effort: 'high' },
    stop: [],
  })
  expect(call.request.tools.map(({ name }) => name)).toEqual(bodies.firstTurn.tools.map(({ name }) => name))
})

test('edge cases 56, 57: a turn with several results, an image and an error among them, keeps its order', () => {
  const { messages } = parseMessagesCall(bodies.toolLoop).request
  expect(plainMessages(messages)).toEqual([
    { ...systemPrompt, role: 'system' },
    { ...question, role: 'user' },
    { role: 'system', content: 'The following skills are available: none.' },
    {
      role: 'assistant',
      content: 'Let me look.',
      reasoning: 'I have to read it.',
      toolCalls: [
        { id: 'toolu_01', name: 'Read', argumentsText: '{"file_path":"/a.png"}' },
        { id: 'toolu_02', name: 'Bash', argumentsText: '{"command":"ls"}' },
        { id: 'toolu_03', name: 'Bash', argumentsText: '{"command":"false"}' },
      ],
    },
    { role: 'tool', content: '<messages[3].content[0].content[0]>', toolCallId: 'toolu_01' },
    { role: 'tool', content: 'a.png', toolCallId: 'toolu_02' },
    { role: 'tool', content: '<tool_use_error>Exit code 1</tool_use_error>', toolCallId: 'toolu_03' },
    { role: 'system', content: 'The file list has changed.' },
  ])
})

test('each turn begins with what the one before it sent, so that it is cached', () => {
  const first = parseMessagesCall(bodies.firstTurn).request.messages
  const next = parseMessagesCall(bodies.toolLoop).request.messages
  expect(next.slice(0, first.length)).toEqual([...first])
})

test('a picture that the user pasted stands behind its name', () => {
  const { messages } = parseMessagesCall(bodies.pastedImage).request
  const place = 'messages[0].content[2]'
  expect(plainMessages(messages).at(-1)).toEqual({
    role: 'user',
    content: `<system-reminder>\nToday is a day.\n</system-reminder>\n\n[Image #1] What is in the picture?<${place}>[Image: source: /tmp/1.png]`,
  })
})

test('a turn that goes on after max_tokens is three plain messages', () => {
  const call = parseMessagesCall(bodies.afterMaxTokens)
  expect(call.request.maxTokens).toBe(64_000)
  expect(call.request.messages.slice(1).map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
})

test('the side request of a search offers the search alone', () => {
  const { request } = parseMessagesCall(bodies.webSearch)
  expect(request).toMatchObject({ tools: [], toolChoice: { mode: 'auto' }, maxTokens: 32_000 })
  expect(request.webSearch).toMatchObject({ tool: { name: 'web_search' }, isOnlyTool: true, maxUses: 8 })
})
