import type { AnswerContext, ChatDialect } from '../dialect.ts'
import { parseModelId } from '../parse-model-id.ts'
import { EventEncoder } from './event-encoder.ts'
import type { Envelope } from './message.ts'
import { MessageCollector } from './message-collector.ts'
import { type MessagesCall, parseMessagesCall } from './parse-request.ts'

/** POST /messages. */
export const messagesDialect: ChatDialect<MessagesCall> = {
  endpoint: 'messages',
  conversationField: 'messages',
  parseModelId,
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

function toEnvelope(call: MessagesCall, context: AnswerContext): Envelope {
  return { id: context.newId('msg_'), model: call.model }
}
