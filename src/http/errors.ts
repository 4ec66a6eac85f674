import { type ApiError, errorRule, toApiError } from '../core/errors.ts'
import { unreachable } from '../core/unreachable.ts'
import { toCohereErrorBody } from '../wire/cohere/error-body.ts'
import { toErrorBody } from '../wire/error-body.ts'
import { messagesErrorStatus, toMessagesErrorBody } from '../wire/messages/error-body.ts'
import { toOllamaErrorBody } from '../wire/ollama/error-body.ts'
import type { ErrorDialect, Exchange } from './exchange.ts'
import { limitCodes } from './limit-errors.ts'
import { refusalHeaders } from './limit-headers.ts'
import { withHint } from './own-commands.ts'
import { refusalPage } from './page.ts'
import { docsUrl } from './page-urls.ts'

/** Facts about the request that an error answers. */
interface ErrorContext {
  readonly requestId: string
  readonly dialect: ErrorDialect
  /** The server's address without path. */
  readonly baseUrl: string
}

/** Converts an error to a response. No other code does. */
export function errorResponse(
  thrown: unknown,
  { requestId, dialect, baseUrl }: ErrorContext,
  extraHeaders: Record<string, string> = {},
): Response {
  const error = toApiError(thrown)
  const headers = { ...headersOf(error), ...extraHeaders }
  const url = docsUrl(error.code, baseUrl)
  const { status } = errorRule(error.kind)
  switch (dialect) {
    case 'messages':
      return Response.json(toMessagesErrorBody(error, url, requestId), { status: messagesErrorStatus(error), headers })
    case 'cohere':
      return Response.json(toCohereErrorBody(error, url, requestId), { status, headers })
    case 'ollama':
      return Response.json(toOllamaErrorBody(error, url), { status, headers })
    case 'chat':
      return Response.json(toErrorBody(error, url), { status, headers })
    default:
      return unreachable(dialect)
  }
}

/** Answers a request with an error, which the request's log line names too. */
export function refuse(
  exchange: Exchange<'config' | 'ui'>,
  thrown: unknown,
  extraHeaders?: Record<string, string>,
): Response {
  const { observer, dialect, baseUrl } = exchange
  const failure = toApiError(thrown)
  observer.onError(failure)
  const error = withHint(exchange, failure)
  const shown = refusalPage(exchange, error)
  if (shown !== undefined) return shown
  return errorResponse(error, { requestId: observer.requestId, dialect, baseUrl }, extraHeaders)
}

const dashboardCodes = new Set(['not_signed_in', 'invalid_credentials', 'invalid_link'])

/** Codes of requests that this server never serves */
const unsupportedCodes = new Set(['not_supported', 'unsupported_parameter', 'unsupported_content'])

function headersOf(error: ApiError): Record<string, string> {
  if (limitCodes.includes(error.code)) return refusalHeaders(error)
  if (error.retryAfterSeconds !== undefined) return { 'retry-after': String(error.retryAfterSeconds) }
  switch (error.kind) {
    case 'authentication':
      // No API key would help at the dashboard.
      return dashboardCodes.has(error.code) ? {} : { 'www-authenticate': 'Bearer' }
    case 'payload_too_large':
      // The rest of the body may still arrive and is not read.
      return error.code === 'payload_too_large' ? { connection: 'close' } : {}
    case 'request_timeout':
      return { connection: 'close' }
    case 'unsupported_media_type':
      return { 'accept-encoding': 'identity' }
    case 'unavailable':
      // Without a waiting time, a retry would fail again.
      return { 'x-should-retry': 'false' }
    default:
      // Some clients try every refusal again unless told not to.
      return unsupportedCodes.has(error.code) ? { 'x-should-retry': 'false' } : {}
  }
}
