import { responsesDialect } from '../../wire/responses/dialect.ts'
import { countRoute } from '../count-route.ts'

/** POST /responses/input_tokens. */
export const countResponseTokens = countRoute(
  { ...responsesDialect, endpoint: 'responses/input_tokens' },
  (tokens) => ({
    object: 'response.input_tokens',
    input_tokens: tokens,
  }),
)
