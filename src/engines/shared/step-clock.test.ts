import { expect, test } from 'bun:test'
import { phaseQuantileMs, phaseShare, stepShares } from '../../core/step-times.ts'
import { StepClock } from './step-clock.ts'

test('a phase has a count, a sum and buckets, each measurement in one of them', () => {
  const clock = new StepClock()
  for (const ms of [0, 0.01, 0.02, 7, 99_999]) clock.add('device', ms)
  const { device } = clock.times()
  expect(device).toMatchObject({ count: 5, sumMs: 100_006.03 })
  expect(device?.buckets).toEqual([2, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1])
})

test('a request waits until its first step; one that never begins is not counted', () => {
  let nowMs = 0
  const clock = new StepClock({ nowMs: () => nowMs })
  clock.enqueue(1)
  clock.enqueue(2)
  nowMs = 5
  clock.dequeue(1)
  nowMs = 50
  clock.dequeue(1)
  clock.forget(2)
  clock.dequeue(2)
  expect(clock.times().queue).toMatchObject({ count: 1, sumMs: 5 })
})

test('what fails is timed too', async () => {
  const clock = new StepClock()
  const fail = () => {
    throw new Error('no')
  }
  expect(() => clock.time('build', fail)).toThrow('no')
  await expect(clock.timeAsync('device', Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(clock.times()).toMatchObject({ build: { count: 1 }, device: { count: 1 } })
})

test('shares are those of the time between two looks, and leave out what is beside the steps', () => {
  const clock = new StepClock()
  clock.addAll({ queue: 1000, plan: 90, device: 10, emit: 1000 })
  const before = clock.times()
  clock.addAll({ queue: 1000, plan: 1, build: 1, device: 6, sample: 2, emit: 1000 })
  expect(stepShares(before)).toEqual({ device: 0.1, sampling: 0, waiting: 0.9 })
  const shares = stepShares(clock.times(), before)
  expect(shares?.device).toBeCloseTo(0.6)
  expect(shares?.sampling).toBeCloseTo(0.2)
  expect(shares?.waiting).toBeCloseTo(0.2)
  expect(stepShares(before, before)).toBeUndefined()
  expect(phaseShare(before, 'plan')).toBe(0.9)
  expect(phaseShare(before, 'queue')).toBeUndefined()
})

test('quantiles are bounds of buckets', () => {
  const clock = new StepClock()
  for (const ms of [0.2, 0.3, 0.3, 40]) clock.add('sample', ms)
  const { sample } = clock.times()
  if (sample === undefined) throw new Error('nothing was counted')
  expect([0.25, 0.5, 0.99].map((part) => phaseQuantileMs(sample, part))).toEqual([0.25, 0.5, 50])
})
