import { messagesDialect } from '../../wire/messages/dialect.ts'
import { chatRoute } from '../chat-route.ts'

/** POST /messages. */
export const messages = chatRoute(messagesDialect)
