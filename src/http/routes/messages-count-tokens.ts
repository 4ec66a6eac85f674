import { messagesDialect } from '../../wire/messages/dialect.ts'
import { parseCountedRequest } from '../../wire/messages/parse-request.ts'
import { toTokenCount } from '../../wire/messages/token-count.ts'
import { countRoute } from '../count-route.ts'

/** POST /messages/count_tokens: takes what POST /messages takes, but needs no `max_tokens`. */
export const countMessageTokens = countRoute(
  {
    ...messagesDialect,
    endpoint: 'messages/count_tokens',
    parse: (body) => ({ request: parseCountedRequest(body) }),
  },
  toTokenCount,
)
