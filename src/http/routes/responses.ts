import { responsesDialect } from '../../wire/responses/dialect.ts'
import { chatRoute } from '../chat-route.ts'

/** POST /responses. */
export const responses = chatRoute(responsesDialect)
