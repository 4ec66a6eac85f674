import { expect, test } from 'bun:test'
import type { Box } from '../testing/scheduler/boxes.ts'
import { Trial } from '../testing/scheduler/trial.ts'

const GiB = 1024 ** 3

/** Models may use 16 GiB. */
const box: Box = {
  pools: [{ id: 'host', totalBytes: 24 * GiB, limitBytes: 16 * GiB }],
  models: [
    { id: 'a', placements: [{ gib: { host: 6 } }] },
    { id: 'b', placements: [{ gib: { host: 7 } }] },
    { id: 'c', placements: [{ gib: { host: 9 } }] },
  ],
}

function spareGiB(trial: Trial) {
  const { nowBytes, soonBytes } = trial.scheduler.spareBytes('host')
  return { now: nowBytes / GiB, soon: soonBytes / GiB }
}

test('is what models hold nothing of and nobody waits for', () => {
  const trial = new Trial(box)
  expect(spareGiB(trial)).toEqual({ now: 0, soon: 0 }) // nothing was read yet
  trial.serve('a')
  expect(spareGiB(trial)).toEqual({ now: 10, soon: 10 })
  trial.serve('b')
  expect(spareGiB(trial)).toEqual({ now: 3, soon: 3 })
})

test('while a model makes room, it is what the next one leaves', () => {
  const trial = new Trial(box)
  trial.serve('a')
  trial.serve('b')
  trial.request('c')
  trial.advance(100)
  expect(trial.state('a')).toBe('stopping')
  expect(spareGiB(trial)).toEqual({ now: 9, soon: 0 })
  trial.advance(5_000)
  expect(trial.state('c')).toBe('ready')
  expect(spareGiB(trial)).toEqual({ now: 0, soon: 0 })
})

test('is nothing where the memory cannot be read', () => {
  const trial = new Trial(box)
  trial.serve('a')
  trial.unreadable.add('host')
  trial.advance(40_000)
  expect(spareGiB(trial)).toEqual({ now: 0, soon: 0 })
})
