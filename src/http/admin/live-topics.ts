/** Topics that operators' pages can follow, and the events of each. */
import type { Download } from '../../core/download.ts'
import type { WatchedModel } from '../../core/model-state.ts'
import type { LiveFeeds } from '../../telemetry/live-feeds.ts'
import {
  toDownloadEvent,
  toEngineEvent,
  toLogLine,
  toMachine,
  toRates,
  toRequestEvent,
  toState,
} from '../../wire/pages/live.ts'
import type { EventStream } from '../event-stream.ts'

/** Sends the present state, then each change, until the returned function is called. */
type OpenTopic = (feeds: LiveFeeds, stream: EventStream) => () => void

/** Request events sent per second. Beyond it, only ends of requests are sent. */
const requestEventsPerSecond = 50
const firstRequests = 100
const firstLines = 200

export const liveTopics = {
  machine: ({ telemetry: { machine } }, stream) => {
    const put = (picture: Parameters<typeof toMachine>[0]) => {
      for (const event of toMachine(picture)) stream.set('machine', event, keyOf(event))
    }
    if (machine.pictures.latest !== undefined) put(machine.pictures.latest)
    return machine.pictures.follow(put)
  },
  engines: ({ telemetry }, stream) => {
    const put = (models: readonly WatchedModel[]) => {
      for (const model of models) stream.set('engines', [toEngineEvent(model)], model.modelId)
    }
    put(telemetry.models())
    return telemetry.engines.follow(put)
  },
  rates: ({ telemetry: { rates } }, stream) => {
    const put = (value: Parameters<typeof toRates>[0]) => stream.set('rates', toRates(value))
    if (rates.latest !== undefined) put(rates.latest)
    return rates.follow(put)
  },
  notices: ({ telemetry }, stream) => {
    const put = (state: Parameters<typeof toState>[0]) => stream.set('notices', toState(state))
    put(telemetry.stateNow())
    return telemetry.state.follow(put)
  },
  request: ({ requests, clock }, stream) => {
    for (const request of requests.running({ limit: firstRequests }).toReversed())
      stream.add('request', toRequestEvent(request, 0))
    let second = 0
    let told = 0
    let skipped = 0
    return requests.watch((request) => {
      const now = Math.floor(clock() / 1000)
      if (now !== second) told = 0
      second = now
      if (told >= requestEventsPerSecond && request.state !== 'ended') {
        skipped++
        return
      }
      told++
      stream.add('request', toRequestEvent(request, skipped))
      skipped = 0
    })
  },
  pulls: ({ pulls }, stream) => {
    const put = (download: Download) => stream.set('pulls', [toDownloadEvent(download)], download.model)
    for (const download of pulls?.states() ?? []) put(download)
    return pulls?.follow(put) ?? (() => undefined)
  },
  log: ({ log }, stream) => {
    const put = (line: Parameters<typeof toLogLine>[0]) => stream.add('log', toLogLine(line))
    for (const line of log?.lines().slice(-firstLines) ?? []) put(line)
    return log?.follow(put) ?? (() => undefined)
  },
} as const satisfies Readonly<Record<string, OpenTopic>>

export type LiveTopic = keyof typeof liveTopics

/** Returns the device's id if the event shows a single device, else ''. */
function keyOf({ devices }: ReturnType<typeof toMachine>[number]): string {
  return devices.length === 1 ? (devices[0]?.id ?? '') : ''
}
