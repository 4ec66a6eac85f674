import { type ChatDialect, type CountDialect, countCollector } from '../dialect.ts'
import { parseResponses, ResponsesBody, type ResponsesCall } from './parse-request.ts'
import { ResponseEncoder } from './response-encoder.ts'

/** POST /responses: each request holds the whole conversation, recent answers in full or by reference. */
export const responsesDialect: ChatDialect<ResponsesCall> = {
  endpoint: 'responses',
  kind: 'chat',
  toCallersParam,
  body: ResponsesBody,
  parse: parseResponses,
  encoder: (call, context) => new ResponseEncoder(call, context),
  // The response that ends a stream of the same events
  collector: (call, context) => {
    const encoder = new ResponseEncoder(call, context)
    return { push: (event) => void encoder.push(event), end: () => encoder.response() }
  },
}

/** POST /responses/input_tokens. */
export const countedResponses: CountDialect = {
  endpoint: 'responses/input_tokens',
  kind: 'count',
  body: ResponsesBody,
  parse: (body, findItem) => ({ request: parseResponses(body, findItem).request }),
  toCallersParam,
  collector: countCollector((tokens) => ({ object: 'response.input_tokens', input_tokens: tokens })),
}

function toCallersParam(_: unknown, param: string): string {
  return param === 'messages' ? 'input' : param
}
