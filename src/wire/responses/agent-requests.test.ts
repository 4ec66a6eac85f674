/** Requests of coding agents, with all their peculiarities at once. */
import { describe, expect, test } from 'bun:test'
import { plainMessages } from '../../testing/plain-messages.ts'
import { translatedRequest } from '../../testing/translated-schema.ts'
import child from './__fixtures__/agent-child.json'
import firstTurn from './__fixtures__/agent-first-turn.json'
import images from './__fixtures__/agent-images.json'
import lite from './__fixtures__/agent-lite.json'
import toolResults from './__fixtures__/agent-tool-results.json'
import { parseResponses } from './parse-request.ts'
import { toolByName } from './tool-directory.ts'

describe('the first turn of an agent', () => {
  const { request, toolNames, stream, reasoningStyle } = parseResponses(firstTurn)

  test('edge case 38: developers first, the environment and the question as two users', () => {
    expect(stream).toBe(true)
    expect(plainMessages(request.messages)).toEqual([
      { role: 'system', content: 'You are a coding agent.\n\n<permissions>read-only</permissions>' },
      { role: 'system', content: '<apps>none</apps>' },
      { role: 'user', content: '<environment>linux</environment>' },
      { role: 'user', content: 'List the files.' },
    ])
  })

  test('edge case 24: every tool that can be called is offered, the hosted one is dropped', () => {
    expect(request.tools.map((tool) => tool.name)).toEqual([
      'exec_command',
      'apply_patch',
      'tool_search',
      'mcp__dict__look_up',
      'collaboration__spawn_agent',
      'collaboration__wait_agent',
    ])
    expect(request).toMatchObject({ toolChoice: { mode: 'auto' }, parallelToolCalls: true, reasoning: {} })
  })

  test('edge case 29: no mark of encryption reaches the model', async () => {
    expect(JSON.stringify((await translatedRequest(request)).tools)).not.toContain('encrypted')
    expect(toolByName(toolNames, 'collaboration__spawn_agent')?.hasClearMark).toBe(true)
    expect(toolByName(toolNames, 'collaboration__wait_agent')?.hasClearMark).toBe(false)
  })

  test('thinking is shown as a summary, with a token', () => {
    expect(reasoningStyle).toEqual({ isSummary: true, isSealed: true })
  })
})

test('edge case 35: tool results with images, cut arguments and thinking of two turns', () => {
  expect(plainMessages(parseResponses(toolResults).request.messages)).toEqual([
    { role: 'system', content: 'You are a coding agent.' },
    { role: 'user', content: 'Earlier question.' },
    { role: 'assistant', content: 'Earlier answer.' },
    { role: 'user', content: 'Show me the dog.' },
    {
      role: 'assistant',
      content: '',
      reasoning: 'I look for pictures.',
      toolCalls: [
        { id: 'call_a', name: 'mcp__dict__look_up', argumentsText: '{"word":"dog"}' },
        { id: 'call_b', name: 'exec_command', argumentsText: '{"cmd": ' },
        { id: 'call_c', name: 'functions__exec', argumentsText: '{"input":"print(1)"}' },
      ],
    },
    {
      role: 'tool',
      content: 'Wall time: 0.01 seconds\nOutput:\ndog, n.<input[9].output[2]>',
      toolCallId: 'call_a',
    },
    { role: 'tool', content: 'failed to parse function arguments: EOF while parsing', toolCallId: 'call_b' },
    { role: 'tool', content: '1', toolCallId: 'call_c' },
  ])
})

test('pictures: one that the user names and one that a tool shows', () => {
  const { messages } = parseResponses(images).request
  expect(plainMessages(messages).map(({ role, content }) => [role, content])).toEqual([
    ['system', 'You are a coding agent.'],
    ['user', '<image name=[Image #1]><input[1].content[1]></image>\nWhat is in [Image #1] and in b.png?'],
    ['assistant', ''],
    ['tool', '<input[3].output[0]>'],
  ])
  const pictures = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'sent-image'))
  expect(pictures).toMatchObject([{ detail: 'high' }, { detail: 'high' }])
})

test('edge case 23: a request whose tools stand in its input, some found by a search', () => {
  const { request, toolNames } = parseResponses(lite)
  expect(request.tools.map((tool) => tool.name)).toEqual(['functions__exec', 'functions__wait', 'mcp__dict__look_up'])
  expect(plainMessages(request.messages).map(({ role, content }) => [role, content])).toEqual([
    ['system', 'Deferred namespaces: mcp__dict.'],
    ['user', 'Look up dog.'],
    ['assistant', ''],
    ['tool', 'Tools that can be called now: mcp__dict__look_up'],
  ])
  expect(request).toMatchObject({ parallelToolCalls: false, reasoning: { mode: 'on', effort: 'low' } })
  expect(toolByName(toolNames, 'functions__exec')).toMatchObject({
    kind: 'custom',
    namespace: 'functions',
    name: 'exec',
  })
  expect(toolByName(toolNames, 'functions.exec')).toMatchObject({ namespace: 'functions', name: 'exec' })
})

test('edge case 27: the task of another agent is what the user says last', () => {
  const { messages } = parseResponses(child).request
  expect(plainMessages(messages).at(-1)).toEqual({
    role: 'user',
    content: 'Message Type: NEW_TASK\nTask name: /root/kid\nSender: /root\nPayload:\nCount *.ts',
  })
  expect(messages.at(-3)?.toolCalls).toMatchObject([{ name: 'collaboration__spawn_agent' }])
})
