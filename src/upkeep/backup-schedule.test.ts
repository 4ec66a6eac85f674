import { describe, expect, test } from 'bun:test'
import { backupFileName, backupTimeMs } from './backup-format.ts'
import { isBackupDue, surplusBackups } from './backup-schedule.ts'

const hour = 3_600_000
const now = Date.UTC(2026, 10, 22, 18)
const moment = { everyMs: 24 * hour, nowMs: now, latestMs: now - hour, elapsedMs: hour, sinceFailureMs: undefined }

describe('a backup is due', () => {
  test.each([
    ['where there is none yet', { latestMs: undefined, elapsedMs: 0 }, true],
    ['not an hour after the last one', {}, false],
    ['a day after the last one, also after a restart', { latestMs: now - 24 * hour, elapsedMs: 0 }, true],
    ['at once when the clock jumps ahead', { nowMs: now + 240 * hour }, true],
    ['a day later although the clock jumped back', { nowMs: now - 240 * hour, elapsedMs: 24 * hour }, true],
    ['not at once after a failure', { latestMs: undefined, sinceFailureMs: 60_000 }, false],
    ['a quarter of an hour after a failure', { latestMs: undefined, sinceFailureMs: hour / 4 }, true],
  ])('%s', (_, change, expected) => expect(isBackupDue({ ...moment, ...change })).toBe(expected))
})

test('names of backups are their times', () => {
  expect(backupFileName(now)).toBe('inferd-20261122T180000Z.tar')
  expect(backupTimeMs('inferd-20261122T180000Z.tar')).toBe(now)
  expect(['inferd-20269922T180000Z.tar', 'x.tar', 'inferd-20261122T180000Z.tar.tmp'].map(backupTimeMs)).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('the latest stay, files of the future go first, the one just made and foreign files never', () => {
  const at = (hours: number) => backupFileName(now + hours * hour)
  const names = [at(-3), at(-2), at(-1), at(0), at(500), 'mine.tar']
  expect(surplusBackups(names, { made: at(0), keep: 3, nowMs: now })).toEqual([at(-3), at(500)])
  expect(surplusBackups(names, { made: at(0), keep: 1, nowMs: now })).toHaveLength(4)
  expect(surplusBackups(names, { made: at(0), keep: 9, nowMs: now })).toEqual([])
})
