/** The engine gets the same request in every dialect, over a real socket and through a real engine process. */
import { afterAll, expect, test } from 'bun:test'
import type { ChatRequest } from '../core/chat.ts'
import { conversations } from '../testing/conversations.ts'
import { startTestServer } from '../testing/test-server.ts'
import { withoutOrigins } from '../testing/without-origins.ts'

const server = startTestServer()
afterAll(() => server[Symbol.asyncDispose]())

/** Returns the request that reached the engine, which echoes it as its answer's text. */
async function reached(path: string, body: object, textOf: (answer: never) => string): Promise<ChatRequest> {
  const response = await server.post(path, { model: 'fake', ...body })
  const answer: unknown = await response.json()
  expect({ status: response.status, answer }).toMatchObject({ status: 200 })
  return withoutOrigins(JSON.parse(textOf(answer as never))) // each dialect's own shape
}

function chatText({ choices }: { choices: { message: { content: string } }[] }): string {
  return choices[0]?.message.content ?? ''
}

function responsesText({ output }: { output: { content: { text: string }[] }[] }): string {
  return output[0]?.content[0]?.text ?? ''
}

function messagesText({ content }: { content: { text: string }[] }): string {
  return content[0]?.text ?? ''
}

test.each(conversations)('$name', async ({ chat, responses, messages, request }) => {
  const expected = JSON.parse(JSON.stringify(request))
  expect(await reached('/v1/chat/completions', chat, chatText)).toEqual(expected)
  if (responses !== undefined) expect(await reached('/v1/responses', responses, responsesText)).toEqual(expected)
  if (messages !== undefined) expect(await reached('/v1/messages', messages, messagesText)).toEqual(expected)
})
