import type { Exchange } from './exchange.ts'

/**
 * Returns whether the client speaks the messages dialect, for paths that dialects share: its clients always send the
 * header.
 */
export function speaksMessages({ request }: Pick<Exchange, 'request'>): boolean {
  return request.headers.has('anthropic-version')
}

/** Returns the exchange with errors in the form that the client reads, for paths of no dialect. */
export function inSpokenDialect<Some extends Exchange>(exchange: Some): Some {
  const { dialect } = exchange
  return dialect === 'chat' && speaksMessages(exchange) ? { ...exchange, dialect: 'messages' } : exchange
}
