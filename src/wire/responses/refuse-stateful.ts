import { ApiError } from '../../core/errors.ts'

/** Per field that asks for something kept between requests: what to do instead. */
const stateful: Readonly<Record<string, string>> = {
  previous_response_id: "Send the whole conversation in 'input'.",
  conversation: "Send the whole conversation in 'input'.",
  prompt: "Send its text in 'instructions'.",
  background: 'Leave it out and wait for the answer, or stream it.',
}

/**
 * Throws ApiError 400 `unsupported_parameter` for a field whose being ignored would lose a part of the conversation or
 * the answer. `store` is not among them: the answer is right whatever it says.
 */
export function refuseStateful(fields: Readonly<Record<string, unknown>>): void {
  for (const [param, advice] of Object.entries(stateful)) {
    if (fields[param] === undefined || fields[param] === false) continue
    const message = `'${param}' is not supported: responses are not stored. ${advice}`
    throw new ApiError('invalid_request', message, { code: 'unsupported_parameter', param })
  }
}
