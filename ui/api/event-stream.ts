/** One stream of server-sent events for a visible page, reopened whenever it ends. */
import { retryDelayMs } from './connection.ts'
import { respond } from './request.ts'
import { type ServerEvent, ServerEventParser } from './sse-parser.ts'
import { StreamTabs } from './stream-tabs.ts'

/**
 * Way in which events arrive. `live` means at once. `polling` means every few seconds, because other tabs hold the
 * streams or the last stream went silent.
 */
export type StreamState = 'connecting' | 'live' | 'polling'

interface EventStreamOptions {
  readonly path: string
  readonly onEvent: (event: ServerEvent) => void
  readonly onState: (state: StreamState) => void
  /** Called when the stream cannot be opened or breaks. It is tried again. */
  readonly onFailure?: (thrown: unknown) => void
}

/** Silence after which the connection counts as dead. The server sends a comment every 15 s. */
const silenceMs = 35_000
const hiddenMs = 5_000
const pollMs = 5_000
/**
 * Time to wait for other tabs' answers, which come at once unless the machine is busy. A tab that shows nothing yet
 * waits less than one that polls.
 */
const firstAnswerWaitMs = 100
const laterAnswerWaitMs = 1_000
/** Silence that ends the first snapshots, which come all at once */
const snapshotMs = 300

/** Opens the stream. The returned function closes it for good. */
export function openEventStream(options: EventStreamOptions): () => void {
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
    void keepOpen(options, AbortSignal.any([ended.signal, visible.signal]))
  }
  document.addEventListener('visibilitychange', onVisibility)
  begin()
  return () => {
    clearTimeout(hiding)
    document.removeEventListener('visibilitychange', onVisibility)
    ended.abort()
  }
}

async function keepOpen(options: EventStreamOptions, signal: AbortSignal): Promise<void> {
  // New for each time that the page is shown, because the previous stream may still be ending.
  const tabs = new StreamTabs()
  let answerWaitMs = firstAnswerWaitMs
  for (let failures = 0; !signal.aborted; ) {
    const lost = await tabs.take(answerWaitMs)
    if (signal.aborted) break
    options.onState(lost === undefined ? 'polling' : 'connecting')
    try {
      await read(options, lost, signal)
      failures = 0
    } catch (error) {
      if (signal.aborted) break
      if (lost?.aborted !== true) {
        failures += 1 // A lost server is shown by the bar above the page too.
        options.onFailure?.(error)
      }
    }
    tabs.release()
    const polls = lost === undefined || lost.aborted
    if (polls) options.onState('polling')
    answerWaitMs = polls ? laterAnswerWaitMs : firstAnswerWaitMs
    await pause(polls ? pollMs - laterAnswerWaitMs : retryDelayMs(failures), signal)
  }
  tabs.close()
}

/**
 * Reads a stream to its end or, if `lost` is undefined because this tab has no place, only its first snapshots.
 * Rejects if the stream cannot be opened, goes silent or loses its place.
 */
async function read(
  { path, onEvent, onState }: EventStreamOptions,
  lost: AbortSignal | undefined,
  signal: AbortSignal,
) {
  const own = new AbortController()
  const isLive = lost !== undefined
  let timer = setTimeout(() => own.abort(), silenceMs)
  const parser = new ServerEventParser()
  try {
    const response = await respond(path, { signal: AbortSignal.any([signal, own.signal, lost ?? []].flat()) })
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

/** Waits for the delay or until the signal aborts. */
function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, delayMs)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
