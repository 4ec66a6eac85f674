/** Live events of the server for operators' pages, with their types. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type {
  DownloadEvent,
  EngineEvent,
  LogLineOnPage,
  MachineOnPage,
  RatesOnPage,
  RequestEvent,
  StateOnPage,
} from '../../src/wire/pages/live.ts'
import { openEventStream, type StreamState } from './event-stream.ts'
import { asFailure, type RequestFailure } from './failure.ts'

interface LiveEvents {
  /** Machine with one device or all of them, by id */
  readonly machine: MachineOnPage
  /** Changed entries only, by model. */
  readonly engines: readonly EngineEvent[]
  readonly rates: RatesOnPage
  readonly notices: StateOnPage
  readonly request: RequestEvent
  /** Changed entries only, by model. */
  readonly pulls: readonly DownloadEvent[]
  readonly log: LogLineOnPage
}

type LiveHandlers = { readonly [Topic in keyof LiveEvents]?: (data: LiveEvents[Topic]) => void }

export interface Live {
  readonly state: StreamState
  /** Failure of the last attempt to open a stream. */
  readonly failure: RequestFailure | undefined
}

/**
 * Follows the topics that have handlers, in one stream, while the page is shown. `onOpened` is called when a stream
 * begins. Its events then start with the whole present state, and earlier ones may be outdated, for example after a
 * restart of the server.
 */
export function useLive(handlers: LiveHandlers, onOpened?: () => void): Live {
  const [live, setLive] = useState<Live>({ state: 'connecting', failure: undefined })
  const latest = useRef(handlers)
  latest.current = handlers
  const opened = useRef(onOpened)
  opened.current = onOpened
  const topics = Object.keys(handlers).sort().join(',')

  useEffect(
    () =>
      openEventStream({
        path: `/admin/api/events?topics=${topics}`,
        onState: (state) => {
          if (state === 'live') opened.current?.()
          setLive((before) => ({ ...before, state }))
        },
        onFailure: (thrown) => setLive((before) => ({ ...before, failure: asFailure(thrown) })),
        onEvent: ({ event, data }) => {
          setLive((before) => (before.failure === undefined ? before : { ...before, failure: undefined }))
          const handle = latest.current[event as keyof LiveEvents] as ((data: unknown) => void) | undefined
          handle?.(JSON.parse(data))
        },
      }),
    [topics],
  )
  return live
}

/** Returns the map with newer items of the same key replaced. */
export function upserted<Item>(
  before: ReadonlyMap<string, Item>,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, Item> {
  return new Map([...before, ...items.map((item) => [keyOf(item), item] as const)])
}
