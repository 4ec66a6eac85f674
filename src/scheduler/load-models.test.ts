import { expect, test } from 'bun:test'
import { type BoxModel, chatModel, gpuBox, settingsOf } from '../testing/scheduler/boxes.ts'
import { Trial } from '../testing/scheduler/trial.ts'

const starts = (trial: Trial) => trial.log.filter((entry) => entry.startsWith('start'))

/** Returns a trial in which `a` fills the GPU and is busy, and `b` has starved for it. */
function starved(): Trial {
  const trial = new Trial(gpuBox([chatModel('a', 20), chatModel('b', 20), chatModel('c', 20)]))
  trial.request('a')
  trial.advance(5_000)
  trial.request('b')
  trial.advance(20_000)
  for (const account of ['1', '2', '3']) trial.request('c', { account })
  trial.advance(110_000)
  return trial
}

test('the model whose requests have waited longest in sum is loaded first', () => {
  const trial = new Trial(gpuBox([chatModel('a', 20), chatModel('b', 20), chatModel('c', 20)]))
  const busy = trial.request('a')
  trial.advance(5_000)
  trial.request('b')
  trial.advance(1_000)
  for (const account of ['1', '2', '3']) trial.request('c', { account })
  trial.advance(20_000)
  trial.finish(busy)
  trial.advance(10_000)
  expect(starts(trial)[1]).toBe('start c-0')
})

test('a model that starves comes first, and a busy one takes no more requests for it', () => {
  const trial = starved()
  expect(trial.state('a')).toBe('draining')
  trial.finish(1)
  trial.advance(10_000)
  expect(starts(trial)[1]).toBe('start b-0')
})

test('a model that is pinned while it makes room serves again', () => {
  const trial = starved()
  trial.pin('a')
  expect(trial.state('a')).toBe('ready')
})

test('a model that was loaded lately does not make room, and nobody takes what a starving one needs', () => {
  const trial = new Trial(gpuBox([chatModel('a', 10), chatModel('b', 20), chatModel('c', 10), chatModel('d', 2)]))
  trial.request('a')
  trial.advance(5_000)
  trial.request('b')
  trial.advance(100_000)
  trial.request('c')
  trial.advance(27_000)
  trial.request('d')
  trial.advance(3_000)
  expect(trial.state('c')).toBe('ready')
  expect(starts(trial)).toEqual(['start a-0', 'start c-0'])
})

test('nobody takes the room that is made for a model', () => {
  const trial = new Trial(gpuBox([chatModel('a', 20), chatModel('b', 20), chatModel('d', 3)]))
  trial.serve('a')
  trial.request('b')
  trial.request('d')
  trial.advance(10_000)
  expect(starts(trial)).toEqual(['start a-0', 'start b-0', 'start d-0'])
})

test('a small model that can run on the CPU never unloads one that is on a device', () => {
  const chat = { id: 'chat', placements: [{ gib: { gpu0: 22.5, host: 57 } }] }
  const encoder = { id: 'encoder', placements: [{ gib: { gpu0: 1 } }, { gib: { host: 1 } }] }
  const trial = new Trial(gpuBox([chat, encoder]))
  trial.serve('chat')
  trial.request('encoder')
  trial.advance(10_000)
  expect(trial.log.slice(2)).toEqual(['reject 2 insufficient_memory'])
})

test('a model for a device that this machine does not have is rejected, unless it may be one that cannot be read', () => {
  const model = { id: 'a', placements: [{ gib: { gpu1: 1 } }] }
  const trial = new Trial(gpuBox([model]))
  trial.request('a')
  trial.advance(10_000)
  expect(trial.log).toEqual(['reject 1 insufficient_memory'])
  const unread = new Trial(gpuBox([model]))
  unread.unreadable.add('gpu0')
  unread.request('a')
  unread.advance(1_000)
  expect(unread.log).toEqual([])
})

test('a start that nobody waits for any more goes on when half of it is done', () => {
  const trial = new Trial(gpuBox([chatModel('a', 20, { loadMs: 10_000 }), chatModel('b', 20)]))
  trial.starts = ['hangs']
  const request = trial.request('a')
  trial.advance(6_000)
  trial.tell({ type: 'cancel', request })
  trial.request('b')
  trial.advance(1_000)
  expect(trial.state('a')).toBe('starting')
})

test('a preloaded model is not unloaded for being idle', () => {
  const trial = new Trial(gpuBox([chatModel('a', 10, { preload: true, keepAliveMs: 1_000 })]))
  trial.advance(60_000)
  expect(trial.state('a')).toBe('ready')
})

test('a model that an operator loaded is kept from its load on', () => {
  const trial = new Trial(gpuBox([chatModel('a', 10, { keepAliveMs: 60_000 })]))
  trial.advance(100_000)
  trial.tell({ type: 'load', model: 'a', request: 1, waitLimitMs: 60_000 })
  trial.advance(30_000)
  expect(trial.state('a')).toBe('ready')
})

test('a request that comes as its model is about to be unloaded for being idle is served', () => {
  const trial = new Trial(gpuBox([chatModel('a', 10, { keepAliveMs: 60_000 })]))
  trial.serve('a')
  trial.advance(59_900)
  trial.nowMs += 200
  trial.request('a')
  expect(trial.log.slice(2)).toEqual(['admit 2'])
})

test('how long loads and requests take is learned', () => {
  const trial = new Trial(gpuBox([chatModel('a', 10, { places: 1, parallel: 1 })]))
  const long = trial.request('a')
  trial.advance(60_000)
  trial.finish(long)
  expect(trial.scheduler.models()[0]?.loadMs).toBe(3_500)
  trial.request('a')
  trial.request('a', { waitLimitMs: 8_000 })
  expect(trial.rejections[0]).toMatchObject({ code: 'overloaded', retryAfterSeconds: 11 })
})

const remote = (settings: object = {}): BoxModel => ({
  id: 'remote',
  placements: [{ gib: {} }],
  settings: { preload: true, overlaps: true, ...settings },
})

test('a model that needs no memory is loaded at once where all is full, evicts nothing and is not evicted', () => {
  const trial = new Trial(gpuBox([chatModel('a', 20), chatModel('b', 20), remote({ keepAliveMs: 1_000 })]))
  trial.unreadable.add('gpu0')
  trial.unreadable.add('host')
  trial.advance(2_500)
  expect(trial.state('remote')).toBe('ready')
  trial.unreadable.clear()
  for (const id of ['a', 'b', 'a']) trial.serve(id)
  trial.advance(600_000)
  expect(trial.state('remote')).toBe('ready')
  expect(trial.log.filter((entry) => entry.startsWith('stop'))).toEqual([
    'stop a graceful evicted',
    'stop b graceful evicted',
  ])
  trial.tell({ type: 'unload', model: 'remote' })
  trial.advance(600_000)
  expect(trial.state('remote')).toBe('stopped')
})

test('when it changes, its next process does not wait for the requests of the one before', () => {
  const trial = new Trial(gpuBox([remote()]))
  trial.advance(2_500)
  const old = trial.request('remote')
  const settings = { pools: {}, models: settingsOf(gpuBox([remote({ revision: '2' })])).models }
  trial.tell({ type: 'configured', settings })
  const next = trial.request('remote')
  trial.advance(3_000)
  expect(trial.invariants.admitted.has(next)).toBe(true)
  expect(trial.log.slice(-3)).toEqual(['stop remote retire changed', 'start remote-0', `admit ${next}`])
  trial.finish(old)
  expect(trial.state('remote')).toBe('ready')
})
