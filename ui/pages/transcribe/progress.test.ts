import { expect, test } from 'bun:test'
import { newProgressId, progressShown } from './progress.ts'

const whole = { sentBytes: 2_000_000, totalBytes: 2_000_000 }
const progress = { phase: 'transcribing', done_s: 30, total_s: 120, position: null } as const

test('the upload comes first, then what the server does with it', () => {
  const half = { sentBytes: 1024 * 1024, totalBytes: 2 * 1024 * 1024 }
  expect(progressShown(half, undefined)).toEqual({ text: 'Uploading, 1 MB of 2 MB', share: 0.5 })
  expect(progressShown(whole, undefined)).toEqual({ text: 'Waiting', share: undefined })
  expect(progressShown(whole, progress)).toEqual({ text: 'Transcribing, 0:30 of 2:00', share: 0.25 })
})

test('a share is shown only where something is counted', () => {
  expect(progressShown(whole, { ...progress, phase: 'decoding', done_s: 0 })).toEqual({
    text: 'Reading the recording',
    share: undefined,
  })
  expect(progressShown(whole, { ...progress, phase: 'queued', position: 3 })).toEqual({
    text: 'Waiting for the model, 3 before you',
    share: undefined,
  })
})

test('an id of progress is 128 random bits', () => {
  expect(newProgressId()).toMatch(/^[0-9a-f]{32}$/)
  expect(newProgressId()).not.toBe(newProgressId())
})
