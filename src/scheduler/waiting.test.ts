import { expect, test } from 'bun:test'
import { chatModel, gpuBox } from '../testing/scheduler/boxes.ts'
import { Trial } from '../testing/scheduler/trial.ts'
import { Scheduler } from './scheduler.ts'

const settings = { places: 1, parallel: 1 }
const atOnce = { waitLimitMs: 0 }

test('a request that does not wait is rejected, and the next one finds the model loaded', () => {
  const trial = new Trial(gpuBox([chatModel('a', 10)]))
  trial.request('a', atOnce)
  trial.advance(10_000)
  trial.request('a', atOnce)
  expect(trial.log).toEqual(['reject 1 model_loading', 'start a-0', 'admit 2'])
})

test('a model whose load takes longer than requests wait is loaded nevertheless', () => {
  const trial = new Trial(gpuBox([chatModel('a', 10, { loadMs: 400_000 })]))
  trial.request('a')
  trial.advance(10_000)
  trial.request('a')
  expect(trial.log).toEqual(['reject 1 model_loading', 'start a-0', 'admit 2'])
})

test('for a request that does not wait idle models make room, busy ones do not', () => {
  const trial = new Trial(gpuBox([chatModel('a', 20), chatModel('b', 20)]))
  const busy = trial.request('a')
  trial.advance(5_000)
  trial.request('b', atOnce)
  trial.advance(60_000)
  expect(trial.state('a')).toBe('ready')
  trial.finish(busy)
  trial.advance(10_000)
  expect(trial.log.slice(2)).toEqual(['reject 2 model_loading', 'stop a graceful evicted', 'start b-0'])
})

test('a model that served since it was loaded makes room for a request that does not wait', () => {
  const trial = new Trial(gpuBox([chatModel('a', 20), chatModel('b', 20)]))
  trial.serve('a')
  trial.request('b', atOnce)
  trial.advance(5_000)
  expect(trial.log.slice(2)).toEqual(['reject 2 model_loading', 'stop a graceful evicted', 'start b-0'])
})

test('clients that do not wait do not unload models before those they were loaded for come back', () => {
  const trial = new Trial(gpuBox([chatModel('a', 20), chatModel('b', 20)]))
  trial.request('a', atOnce)
  trial.advance(1_000)
  trial.request('b', atOnce)
  trial.advance(30_000)
  expect(trial.log).toEqual(['reject 1 model_loading', 'start a-0', 'reject 2 model_loading'])
  trial.advance(70_000)
  expect(trial.log.slice(3)).toEqual(['stop a graceful evicted', 'start b-0'])
})

test('of two models whose clients do not wait, the one that is asked for more often is loaded first', () => {
  const trial = new Trial(gpuBox([chatModel('a', 10), chatModel('b', 10)]))
  for (const model of ['a', 'b', 'b']) trial.request(model, atOnce)
  trial.advance(10_000)
  expect(trial.log.slice(3)).toEqual(['start b-0', 'start a-0'])
})

test('a request that does not wait is told where its model has no room at all', () => {
  const trial = new Trial(gpuBox([chatModel('a', 40)]))
  for (let count = 0; count < 2; count++) {
    trial.request('a', atOnce)
    trial.advance(1_000)
  }
  expect(trial.log).toEqual(['reject 1 model_loading', 'reject 2 insufficient_memory'])
})

test('accounts beyond the places are let in up to twice as many, and no more', () => {
  const trial = new Trial(gpuBox([chatModel('a', 10, { places: 2, parallel: 2 })]))
  for (const account of ['1', '2', '3', '3', '4', '5']) trial.request('a', { account })
  trial.advance(5_000)
  expect(trial.log).toEqual(['start a-0', 'admit 1', 'admit 2', 'admit 3', 'admit 5'])
})

test('an account waits with as many requests as places are free, and those of a process that it has not begun count', () => {
  const trial = new Trial(gpuBox([chatModel('a', 10, { ...settings, maxWaiting: 4 })]))
  for (let count = 0; count < 4; count++) trial.request('a')
  expect(trial.rejections).toMatchObject([{ request: 4, code: 'overloaded', retryAfterSeconds: 5, facts: {} }])
  trial.advance(5_000)
  expect(trial.log.at(-1)).toBe('admit 1')
  trial.request('a')
  trial.begin(1)
  trial.request('a')
  expect(trial.log.slice(-1)).toEqual(['reject 5 overloaded'])
  expect(trial.scheduler.models()[0]).toMatchObject({ admitted: 1, waiting: 3 })
})

test('a request that is admitted again finds a place where others do not', () => {
  const trial = new Trial(gpuBox([chatModel('a', 10, { ...settings, maxWaiting: 2 })]))
  for (let count = 0; count < 2; count++) trial.request('a')
  trial.request('a', { again: 'innocent' })
  trial.request('a')
  expect(trial.log).toEqual(['reject 4 overloaded'])
})

test('one account counts with as many as are served side by side, however many it sends', () => {
  const trial = new Trial(gpuBox([chatModel('first', 20), chatModel('flood', 20), chatModel('others', 20)]))
  trial.starts = ['hangs']
  trial.request('first')
  trial.advance(100)
  for (let count = 0; count < 4; count++) trial.request('flood')
  for (const account of ['1', '2', '3']) trial.request('others', { account })
  trial.tell({ type: 'started', model: 'first' })
  trial.finish(1)
  trial.advance(5_000)
  expect(trial.log.filter((entry) => entry.startsWith('start'))[1]).toBe('start others-0')
})

test('a thousand accounts that wait for a model with a thousand places cost little time', () => {
  const scheduler = new Scheduler(0)
  const model = { id: 'a', revision: '1', parallel: 32, places: 1024, maxWaiting: 1e9, pinned: false, preload: false }
  const models = [{ ...model, loadMs: 1_000 }]
  scheduler.handle({ type: 'configured', settings: { pools: {}, models } }, 0)
  let request = 0
  const ask = () =>
    scheduler.handle(
      {
        ...{ type: 'request', request: ++request, model: 'a', account: `${request % 2000}` },
        ...{ kind: 'embed', waitLimitMs: 1e9 },
      },
      request,
    )
  for (let count = 0; count < 3_500; count++) ask()
  const placements = [{ key: '0', label: '', needBytes: { gpu0: 2 ** 30 }, load: {} }]
  scheduler.handle({ type: 'estimated', model: 'a', placements }, 3_500)
  scheduler.handle({ type: 'memory', pools: { gpu0: { totalBytes: 2 ** 34, freeBytes: 2 ** 34 } } }, 3_500)
  scheduler.handle({ type: 'started', model: 'a' }, 3_600)
  const before = process.cpuUsage()
  for (let count = 0; count < 100; count++) ask()
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(500)
})
