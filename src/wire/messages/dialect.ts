import type { AnswerContext, CallReader, ChatDialect, CountedCall } from '../dialect.ts'
import { EventEncoder } from './event-encoder.ts'
import type { Envelope } from './message.ts'
import { MessageCollector } from './message-collector.ts'
import { MessagesBody, type MessagesCall, PromptBody, parseCountedRequest, parseMessagesCall } from './parse-request.ts'

/** POST /messages. */
export const messagesDialect: ChatDialect<MessagesCall> = {
  endpoint: 'messages',
  kind: 'chat',
  conversationField: 'messages',
  body: MessagesBody,
  parse: parseMessagesCall,
  encoder: (call, context) =>
    new EventEncoder({
      envelope: toEnvelope(call, context),
      thinkingDisplay: call.thinkingDisplay,
      newId: context.newId,
      requestId: context.requestId,
      docsUrl: context.docsUrl,
    }),
  collector: (call, context) =>
    new MessageCollector({
      envelope: toEnvelope(call, context),
      thinkingDisplay: call.thinkingDisplay,
      newId: context.newId,
    }),
}

/** POST /messages/count_tokens: takes what POST /messages takes, but needs no `max_tokens`. */
export const countedMessages: CallReader<CountedCall> = {
  endpoint: 'messages/count_tokens',
  kind: 'count',
  conversationField: 'messages',
  body: PromptBody,
  parse: (body) => ({ request: parseCountedRequest(body) }),
}

function toEnvelope(call: MessagesCall, context: AnswerContext): Envelope {
  return { id: context.newId('msg_'), model: call.model }
}
