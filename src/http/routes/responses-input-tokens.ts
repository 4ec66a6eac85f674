import { countedResponses } from '../../wire/responses/dialect.ts'
import { countRoute } from '../count-route.ts'

/** POST /responses/input_tokens. */
export const countResponseTokens = countRoute(countedResponses, (tokens) => ({
  object: 'response.input_tokens',
  input_tokens: tokens,
}))
