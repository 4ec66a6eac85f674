/** Live events and past figures of the running server for operators' pages. */
import { ApiError } from '../../core/errors.ts'
import { historyColumns } from '../../telemetry/history.ts'
import { invalidValue } from '../../wire/check.ts'
import { parseHistoryQuery, toHistory } from '../../wire/pages/history.ts'
import type { Exchange } from '../exchange.ts'
import type { StaffCaller } from '../perform.ts'
import { type LiveTopic, liveTopics } from './live-topics.ts'

const topicNames = Object.keys(liveTopics) as LiveTopic[] // the keys of the table

/** Serves GET events?topics=machine,engines: the full state of each topic first, then changes. */
export function liveEvents(
  exchange: Exchange<'streams' | 'stores' | 'live'>,
  { accountId, session, role }: StaffCaller,
): Response {
  const { streams, stores, live } = exchange.services
  const topics = parseTopics(exchange.url.searchParams.get('topics') ?? '')
  const isSignedIn = () => stores.sessions.find(session)?.role === role
  return streams.answer(exchange, { accountId, isSignedIn }, (stream) => {
    const leave = topics.map((topic) => liveTopics[topic](live, stream))
    return () => {
      for (const each of leave) each()
    }
  })
}

function parseTopics(text: string): readonly LiveTopic[] {
  const topics = new Set(text.split(',').map((name) => topicNames.find((topic) => topic === name)))
  const found = [...topics].filter((topic) => topic !== undefined)
  if (found.length < topics.size) throw invalidValue('topics', `some of ${topicNames.join(', ')}, with commas between`)
  return found
}

/**
 * Serves GET history?series=rates|engine:{model}|latency&window=10m|24h|30d: the last day from memory, older figures
 * from the database.
 */
export function history({ url, services: { live, stores } }: Exchange<'live' | 'stores'>): Response {
  const { kind, model, window } = parseHistoryQuery(url.searchParams)
  const { telemetry, clock } = live
  const rows =
    window === '30d' ? stores.usageHistory.read(kind, clock(), model) : telemetry.history(kind, window, model)
  if (rows === undefined) {
    throw new ApiError('not_found', `No figures are kept of "${model}". Give the id of a model that was loaded.`, {
      code: 'not_found',
      param: 'series',
    })
  }
  const sinceMs = window === '30d' ? undefined : telemetry.sinceMs
  return Response.json(toHistory({ ...rows, window, columns: historyColumns[kind], sinceMs }), {
    headers: { 'cache-control': 'no-store' },
  })
}

/** Serves GET /metrics in Prometheus's text form. */
export async function metrics({ services, observer }: Exchange<'live'>): Promise<Response> {
  // Asked every few seconds, like a health check.
  observer.isRoutine = true
  const { contentType } = services.live.metrics
  const headers = { 'content-type': contentType, 'cache-control': 'no-store' }
  return new Response(await services.live.metrics.text(), { headers })
}
