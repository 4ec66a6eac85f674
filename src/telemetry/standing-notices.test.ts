import { expect, test } from 'bun:test'
import { dayMs } from '../core/durations.ts'
import { type StandingFacts, standingNotices } from './standing-notices.ts'

function textsOf(facts: Partial<StandingFacts>): string[] {
  const usual = {
    findings: [],
    backends: [],
    backupMs: undefined,
    backupFailure: undefined,
    inUseSinceMs: 0,
    isReadableOnNetwork: false,
    servesKeyless: false,
    nowMs: 0,
  }
  return standingNotices({ ...usual, ...facts }).map(({ text }) => text)
}

test('a server that was used for less than a week needs no backup yet', () => {
  expect(textsOf({ nowMs: 6 * dayMs })).toEqual([])
  expect(textsOf({ nowMs: 7 * dayMs })).toEqual(['There is no backup.'])
})

test('a backup is old after seven days', () => {
  expect(textsOf({ backupMs: 2 * dayMs, nowMs: 8 * dayMs })).toEqual([])
  expect(textsOf({ backupMs: 2 * dayMs, nowMs: 11 * dayMs })).toEqual(['The latest backup is 9 days old.'])
})

test('a failed backup is told with its reason', () => {
  expect(textsOf({ backupMs: 0, backupFailure: 'the disk is full' })).toEqual([
    'The last backup failed: the disk is full',
  ])
})

test('pages that the network reaches without encryption are told of', () => {
  expect(textsOf({ isReadableOnNetwork: true })[0]).toContain('can be read on the way')
})

test('of what the last check found the first is told, and how many there are', () => {
  expect(textsOf({ findings: ['no ffmpeg'] })).toEqual(['The last check found: no ffmpeg'])
  expect(textsOf({ findings: ['no ffmpeg', 'x', 'y'] })).toEqual(['The last check found: no ffmpeg (and 2 more)'])
})

test('that programs of the machine need no key is told as long as it is so', () => {
  expect(textsOf({ servesKeyless: true })).toEqual([
    "Programs on this machine need no API key, and the operator's account pays for them (ollama-keyless).",
  ])
})
