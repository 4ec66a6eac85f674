import { chatCompletionsDialect } from '../../wire/chat-completions/dialect.ts'
import { chatRoute } from '../chat-route.ts'

/** POST /chat/completions. */
export const chatCompletions = chatRoute(chatCompletionsDialect)
