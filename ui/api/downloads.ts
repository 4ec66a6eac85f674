/** Downloads by the server, followed in this tab while some run. The top line holds the stream. */
import { computed, signal } from '@preact/signals'
import type { DownloadEvent } from '../../src/wire/pages/live.ts'
import { status } from './session.ts'

/** Last events of the downloads that ran since the tab follows them, by model */
export const downloads = signal<ReadonlyMap<string, DownloadEvent>>(new Map())

/** Models whose downloads began here or were seen to run, and have not ended */
const awaited = signal<ReadonlySet<string>>(new Set())

/** True while downloads are followed. The server tells only operators of them. */
export const followsDownloads = computed(() => {
  const { role, downloads_running: running = 0 } = status.value ?? {}
  return role === 'operator' && (awaited.value.size > 0 || running > 0)
})

/** Follows downloads from now on, since this one has begun. */
export function followDownload(model: string): void {
  awaited.value = new Set([...awaited.value, model])
}

/** Records events, and returns those of downloads that have just ended. Ends before this tab looked are no news. */
export function recordDownloads(changed: readonly DownloadEvent[]): DownloadEvent[] {
  const news = changed.filter(({ model, state }) => state === 'running' || awaited.value.has(model))
  const ended = news.filter(({ state }) => state !== 'running')
  downloads.value = new Map([...downloads.value, ...news.map((each) => [each.model, each] as const)])
  const open = new Set([...awaited.value, ...news.map(({ model }) => model)])
  awaited.value = open.difference(new Set(ended.map(({ model }) => model)))
  return ended
}

/** Forgets the downloads that run, because a new stream tells of them anew. A restart of the server ends them. */
export function forgetRunningDownloads(): void {
  downloads.value = new Map([...downloads.value].filter(([, { state }]) => state !== 'running'))
}

/** Forgets the downloads that have ended. */
export function forgetEndedDownloads(): void {
  downloads.value = new Map([...downloads.value].filter(([, { state }]) => state === 'running'))
}
