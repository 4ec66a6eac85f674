import { countedMessages } from '../../wire/messages/dialect.ts'
import { toTokenCount } from '../../wire/messages/token-count.ts'
import { countRoute } from '../count-route.ts'

/** POST /messages/count_tokens. */
export const countMessageTokens = countRoute(countedMessages, toTokenCount)
