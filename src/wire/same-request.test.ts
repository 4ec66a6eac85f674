import { expect, test } from 'bun:test'
import type { ChatMessage } from '../core/chat.ts'
import { conversations } from '../testing/conversations.ts'
import { pictureConversations } from '../testing/picture-conversations.ts'
import { paint, toDataUrl, toPng } from '../testing/pictures.ts'
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

test.each(pictureConversations(toDataUrl(toPng(paint(1, 1, () => [255, 0, 0])))))(
  'every dialect reads the same: $name',
  ({ chat, responses, messages, canonical }) => {
    const read = <Call extends ChatCall>(dialect: ChatDialect<Call>, body: object) =>
      dialect.parse({ model: 'org/model', ...body }).request.messages.map(withoutPlaces)
    expect(read(chatCompletionsDialect, chat)).toEqual([...canonical])
    expect(read(responsesDialect, responses)).toEqual([...canonical])
    expect(read(messagesDialect, { ...messages, max_tokens: 10 })).toEqual([...canonical])
  },
)

function withoutPlaces(message: ChatMessage): ChatMessage {
  return { ...message, content: message.content.map((part) => (part.type === 'text' ? part : { ...part, param: '' })) }
}
