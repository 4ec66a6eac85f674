/** One stream of server-sent events for a visible page, which is opened again whenever it ends. */
import { retryDelayMs } from './connection.ts'
import { respond } from './request.ts'
import { type ServerEvent, ServerEventParser } from './sse-parser.ts'
import { StreamTabs } from './stream-tabs.ts'

/** `live`: as it happens. `polling`: every few seconds, since other tabs hold the streams or the last one went silent. */
export type StreamState = 'connecting' | 'live' | 'polling'

export interface EventStreamOptions {
  readonly path: string
  readonly onEvent: (event: ServerEvent) => void
  readonly onState: (state: StreamState) => void
  /** The stream could not be had, or broke; it is tried again. */
  readonly onFailure?: (thrown: unknown) => void
}

/** The server sends a comment every 15 s: more silence than this is a dead connection. */
const silenceMs = 35_000
const hiddenMs = 5_000
const pollMs = 5_000
/** A stream begins with a snapshot of each topic, all of which come at once. */
const snapshotMs = 300

/** Opens the stream; the returned function closes it for good. */
export function openEventStream(options: EventStreamOptions): () => void {
  const tabs = new StreamTabs()
  const ended = new AbortController()
  let visible = new AbortController()
  let hiding: ReturnType<typeof setTimeout> | undefined

  const onVisibility = () => {
    clearTimeout(hiding)
    if (document.visibilityState === 'hidden') hiding = setTimeout(() => visible.abort(), hiddenMs)
    else if (visible.signal.aborted) begin()
  }
  const begin = () => {
    visible = new AbortController()
    void keepOpen(options, tabs, AbortSignal.any([ended.signal, visible.signal]))
  }
  document.addEventListener('visibilitychange', onVisibility)
  begin()
  return () => {
    clearTimeout(hiding)
    document.removeEventListener('visibilitychange', onVisibility)
    ended.abort()
    tabs.close()
  }
}

async function keepOpen(options: EventStreamOptions, tabs: StreamTabs, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    const isLive = await tabs.take()
    if (signal.aborted) break
    options.onState(isLive ? 'connecting' : 'polling')
    try {
      await read(options, isLive, signal)
      failures = 0
    } catch (error) {
      failures += 1 // The bar above the page says so when the server is gone.
      if (!signal.aborted) options.onFailure?.(error)
    }
    tabs.release()
    await pause(isLive ? retryDelayMs(failures) : pollMs, signal)
  }
  tabs.release()
}

/** Reads a stream to its end, or its first snapshots alone. Rejects when it cannot be had or goes silent. */
async function read({ path, onEvent, onState }: EventStreamOptions, isLive: boolean, signal: AbortSignal) {
  const own = new AbortController()
  let timer = setTimeout(() => own.abort(), silenceMs)
  const parser = new ServerEventParser()
  try {
    const response = await respond(path, { signal: AbortSignal.any([signal, own.signal]) })
    if (isLive) onState('live')
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      for (const event of parser.push(decoder.decode(bytes, { stream: true }))) onEvent(event)
      clearTimeout(timer)
      timer = setTimeout(() => own.abort(), isLive ? silenceMs : snapshotMs)
    }
  } catch (error) {
    const isSnapshot = !isLive && own.signal.aborted
    if (!isSnapshot) throw error
  } finally {
    clearTimeout(timer)
    own.abort()
  }
}

function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
