import { expect, test } from 'bun:test'
import { conversations } from '../testing/conversations.ts'
import { withoutOrigins } from '../testing/without-origins.ts'
import { chatCompletionsDialect } from './chat-completions/dialect.ts'
import type { ChatCall, ChatDialect } from './dialect.ts'
import { messagesDialect } from './messages/dialect.ts'
import { responsesDialect } from './responses/dialect.ts'

function read<Call extends ChatCall>(dialect: ChatDialect<Call>, body: object) {
  return withoutOrigins(dialect.parse({ model: 'org/model', ...body }).request)
}

test.each(conversations)('every dialect reads the same: $name', ({ chat, responses, messages, request }) => {
  expect(read(chatCompletionsDialect, chat)).toEqual(request)
  if (responses !== undefined) expect(read(responsesDialect, responses)).toEqual(request)
  if (messages !== undefined) expect(read(messagesDialect, messages)).toEqual(request)
})
