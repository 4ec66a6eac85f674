import { expect, test } from 'bun:test'
import { downloadError, newDownload, progressOf, withProgress } from './download.ts'

const begun = newDownload({ model: 'a/b', missingBytes: 1_000, startedMs: 0 })
const first = { phase: 'verify', name: 'one', bytes: 100, totalBytes: 400, rate: undefined } as const
const second = { phase: 'download', name: 'two', bytes: 200, totalBytes: 600, rate: 50 } as const
const running = withProgress(withProgress(begun, first), second)

test('progress is the sum of all files, and a file that is verified counts whole', () => {
  expect(progressOf(begun)).toEqual({ doneBytes: 0, totalBytes: 1_000, rate: undefined, open: undefined })
  expect(progressOf(running)).toEqual({ doneBytes: 600, totalBytes: 1_000, rate: 50, open: second })
  const further = withProgress(running, { ...second, bytes: 900 })
  expect(progressOf(further)).toMatchObject({ doneBytes: 1_300, totalBytes: 1_300 })
})

test('a download that has ended has its bytes, and neither a rate nor an open file', () => {
  const failed = { ...running, state: 'failed', endedMs: 9, error: 'the disk is full' } as const
  expect(progressOf(failed)).toEqual({ doneBytes: 600, totalBytes: 1_000, rate: undefined, open: undefined })
  expect([running, failed].map(downloadError)).toEqual([undefined, 'the disk is full'])
})
