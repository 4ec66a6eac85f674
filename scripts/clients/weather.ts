/**
 * Conversation with a tool, which every client of the matrix has with the fake engine: a call, its result, an answer.
 */
import { expect } from 'bun:test'
import { plainMessages } from '../../src/testing/plain-messages.ts'

const call = { tool: { name: 'weather', arguments: ['{"city":', '"Oslo"}'] } }

/** User's message. The engine calls the tool, and answers the tool's result with the request as it arrived. */
export const question = JSON.stringify({ script: [{ text: 'Looking.' }, call], afterTools: [{ echoRequest: true }] })

export const description = 'Tells the weather.'
/** The tool's parameters. */
export const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

/** Returns the tool's result. */
export function weather({ city }: { city: string }): string {
  return `12 degrees in ${city}`
}

/** Checks by the last answer that the engine got the whole conversation. */
export function expectWholeConversation(answer: string): void {
  const messages = plainMessages(JSON.parse(answer).messages)
  const id = messages[1]?.toolCalls?.[0]?.id
  if (id === undefined) throw new Error('the call has no id')
  expect(messages).toHaveLength(3)
  expect(messages).toMatchObject([
    { role: 'user', content: question },
    {
      role: 'assistant',
      content: 'Looking.',
      toolCalls: [{ id, name: 'weather', argumentsText: '{"city":"Oslo"}' }],
    },
    // Some clients send the text as JSON.
    { role: 'tool', content: expect.stringMatching(/^"?12 degrees in Oslo"?$/), toolCallId: id },
  ])
}

/** Returns the prompt that makes the fake engine do this. */
export function script(...actions: unknown[]): string {
  return JSON.stringify({ script: actions })
}

/** Action of a script that fails the request and nothing else. */
export const failure = { error: { kind: 'engine', code: 'engine_failed', message: 'The engine stopped.' } }
