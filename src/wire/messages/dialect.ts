import { type ChatDialect, type CountDialect, countCollector } from '../dialect.ts'
import { EventEncoder } from './event-encoder.ts'
import { MessageCollector } from './message-collector.ts'
import { MessagesBody, type MessagesCall, PromptBody, parseCountedRequest, parseMessagesCall } from './parse-request.ts'

/** POST /messages. */
export const messagesDialect: ChatDialect<MessagesCall> = {
  endpoint: 'messages',
  kind: 'chat',
  body: MessagesBody,
  parse: parseMessagesCall,
  encoder: (call, context) => new EventEncoder(call, context),
  collector: (call, context) => new MessageCollector(call, context),
}

/** POST /messages/count_tokens: takes what POST /messages takes, but needs no `max_tokens`. */
export const countedMessages: CountDialect = {
  endpoint: 'messages/count_tokens',
  kind: 'count',
  body: PromptBody,
  parse: (body) => ({ request: parseCountedRequest(body) }),
  // This server never clears parts of a conversation, so the original length is the same.
  collector: countCollector((tokens) => ({
    input_tokens: tokens,
    context_management: { original_input_tokens: tokens },
  })),
}
