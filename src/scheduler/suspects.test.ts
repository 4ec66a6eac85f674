/** Requests admitted before, to a process that ended with them. */
import { expect, test } from 'bun:test'
import { chatModel, gpuBox } from '../testing/scheduler/boxes.ts'
import { Trial } from '../testing/scheduler/trial.ts'

const box = gpuBox([chatModel('a', 10)])

/** Returns a trial with the model loaded and `running` requests admitted. */
function loaded(running = 0) {
  const trial = new Trial(box)
  trial.serve('a')
  const requests = Array.from({ length: running }, () => trial.request('a'))
  trial.log.length = 0
  return { trial, requests }
}

test('suspects run alone, one after the other, before all others', () => {
  const { trial } = loaded(2)
  trial.end('a')
  trial.log.length = 0
  const other = trial.request('a', { account: 'other' })
  const [first, second] = [0, 1].map(() => trial.request('a', { again: 'suspect' }))
  trial.advance(5_000)
  expect(trial.log).toEqual([`admit ${first}`])
  trial.finish(first ?? 0)
  trial.finish(second ?? 0)
  expect(trial.log).toEqual([first, second, other].map((request) => `admit ${request}`))
})

test('others run beside a suspect that is cleared, the next suspect too', () => {
  const { trial } = loaded()
  const [first, second] = [0, 1].map(() => trial.request('a', { again: 'suspect' }))
  const other = trial.request('a')
  trial.tell({ type: 'cleared', request: first ?? 0 })
  trial.tell({ type: 'cleared', request: second ?? 0 })
  expect(trial.log).toEqual([first, second, other].map((request) => `admit ${request}`))
})

test('a suspect that comes while others run waits for them, and is the next', () => {
  const { trial, requests } = loaded(1)
  const suspect = trial.request('a', { again: 'suspect' })
  const late = trial.request('a')
  expect(trial.log).toEqual([])
  trial.finish(requests[0] ?? 0)
  trial.finish(suspect)
  expect(trial.log).toEqual([`admit ${suspect}`, `admit ${late}`])
})

test('a suspect that leaves the queue keeps nobody away', () => {
  const { trial, requests } = loaded(1)
  const suspect = trial.request('a', { again: 'suspect' })
  const late = trial.request('a')
  trial.tell({ type: 'cancel', request: suspect })
  expect(trial.log).toEqual([`admit ${late}`])
  trial.finish(requests[0] ?? 0)
})

test('one that was admitted before is not turned away for a long wait, and comes first', () => {
  const { trial } = loaded()
  const [first] = Array.from({ length: 5 }, () => trial.request('a'))
  const again = trial.request('a', { again: 'innocent', waitLimitMs: 1 })
  expect(trial.rejections).toEqual([])
  trial.log.length = 0
  trial.finish(first ?? 0)
  expect(trial.log).toEqual([`admit ${again}`])
})

test('processes that end with a suspect alone, or served between, are not given up', () => {
  const { trial } = loaded()
  for (let round = 0; round < 4; round++) {
    trial.request('a')
    trial.end('a')
    const suspect = trial.request('a', { again: 'suspect' })
    trial.advance(5_000)
    expect(trial.log.at(-1)).toBe(`admit ${suspect}`)
    trial.end('a')
    trial.advance(5_000)
    trial.tell({ type: 'finished', request: trial.request('a'), isServed: true })
  }
  expect(trial.state('a')).toBe('ready')
})

test('processes that end again and again, and serve nothing, are given up', () => {
  const { trial } = loaded()
  for (let round = 0; round < 3; round++) {
    trial.finish(trial.request('a'))
    trial.end('a')
    trial.advance(5_000)
  }
  expect(trial.state('a')).toBe('failed')
})
