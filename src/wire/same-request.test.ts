import { expect, test } from 'bun:test'
import { conversations } from '../testing/conversations.ts'
import { chatCompletionsDialect } from './chat-completions/dialect.ts'
import { messagesDialect } from './messages/dialect.ts'
import { responsesDialect } from './responses/dialect.ts'

const model = 'org/model'

test.each(conversations)('every dialect reads the same: $name', ({ chat, responses, messages, request }) => {
  expect(chatCompletionsDialect.parse({ model, ...chat }).request).toEqual(request)
  if (responses !== undefined) expect(responsesDialect.parse({ model, ...responses }).request).toEqual(request)
  if (messages !== undefined) expect(messagesDialect.parse({ model, ...messages }).request).toEqual(request)
})
