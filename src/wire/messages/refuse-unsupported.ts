import { ApiError } from '../../core/errors.ts'

/** Per field without which the answer would be another one than was asked for: what to do instead. */
const advice = {
  mcp_servers: 'Call the servers from the client.',
  thread: 'Nothing is kept between requests: send the whole conversation.',
  compaction: 'Ask for a summary in a message.',
} as const

/** Throws ApiError 400 `unsupported_parameter` for the first of these fields that is there and is no empty list. */
export function refuseUnsupported(fields: Readonly<Partial<Record<keyof typeof advice, unknown>>>): void {
  for (const param of ['mcp_servers', 'thread', 'compaction'] as const) {
    const value = fields[param]
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue
    const message = `'${param}' is not supported. ${advice[param]}`
    throw new ApiError('invalid_request', message, { code: 'unsupported_parameter', param })
  }
}
