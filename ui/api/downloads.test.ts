import { beforeEach, expect, test } from 'bun:test'
import type { DownloadEvent } from '../../src/wire/pages/live.ts'
import {
  downloads,
  followDownload,
  followsDownloads,
  forgetEndedDownloads,
  forgetRunningDownloads,
  recordDownloads,
} from './downloads.ts'
import { status } from './session.ts'

const event = (model: string, state: DownloadEvent['state']): DownloadEvent => ({
  ...{ model, state, bytes: 1, total: 2, rate: null, trouble: null, error: null },
})
const asOperator = (running: number) => {
  status.value = { role: 'operator', downloads_running: running } as typeof status.value
}
const states = () => [...downloads.value.values()].map(({ model, state }) => `${model} ${state}`)

beforeEach(() => {
  recordDownloads([...downloads.value.keys()].map((model) => event(model, 'cancelled')))
  forgetEndedDownloads()
  asOperator(0)
})

test('downloads are followed from one that begins here or that the server tells of, until all have ended', () => {
  expect(followsDownloads.value).toBe(false)
  asOperator(1)
  expect(followsDownloads.value).toBe(true)
  asOperator(0)
  followDownload('a')
  expect(followsDownloads.value).toBe(true)
  recordDownloads([event('a', 'running'), event('b', 'running')])
  recordDownloads([event('a', 'done')])
  expect(followsDownloads.value).toBe(true)
  recordDownloads([event('b', 'failed')])
  expect(followsDownloads.value).toBe(false)
  expect(states()).toEqual(['a done', 'b failed'])
})

test('an end is news for whoever waited for it, and not from before the tab looked', () => {
  followDownload('quick')
  const ended = recordDownloads([event('old', 'failed'), event('quick', 'done')])
  expect(ended.map(({ model }) => model)).toEqual(['quick'])
  expect(states()).toEqual(['quick done'])
})

test('a new stream tells anew what runs', () => {
  recordDownloads([event('a', 'running'), event('b', 'running')])
  recordDownloads([event('b', 'failed')])
  forgetRunningDownloads()
  expect(states()).toEqual(['b failed'])
})

test('members follow nothing', () => {
  status.value = { role: 'member' } as typeof status.value
  followDownload('a')
  expect(followsDownloads.value).toBe(false)
  recordDownloads([event('a', 'done')])
})
