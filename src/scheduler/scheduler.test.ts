import { expect, test } from 'bun:test'
import { type BoxModel, chatModel as chat, gpuBox as gpu } from '../testing/scheduler/boxes.ts'
import { Trial } from '../testing/scheduler/trial.ts'
import { Scheduler } from './scheduler.ts'

const GiB = 1024 ** 3

test('two models that alternate in room for one are loaded at most once a minute on average', () => {
  const trial = new Trial(gpu([chat('a', 20), chat('b', 20)]))
  const { admitted } = trial.invariants
  const clients = ['a', 'b', 'a', 'b'].map((model) => ({ model, request: trial.request(model, { waitLimitMs: 1e9 }) }))
  // Each client asks again before its answer ends, one second after the previous client: no model is ever idle.
  for (let second = 0; second < 1_800; second++) {
    trial.advance(1_000)
    const client = clients[second % clients.length]
    if (client === undefined || !admitted.has(client.request)) continue
    const before = client.request
    client.request = trial.request(client.model, { waitLimitMs: 1e9 })
    trial.finish(before)
  }
  const starts = trial.log.filter((entry) => entry.startsWith('start')).length
  expect(starts).toBeLessThanOrEqual(30)
  expect(starts).toBeGreaterThan(5)
})

test('an encoder that can run on the CPU does not unload a chat model that fills the device', () => {
  const encoder: BoxModel = { id: 'encoder', placements: [{ gib: { gpu0: 1 } }, { gib: { host: 1 } }] }
  const trial = new Trial(gpu([chat('chat', 22.5), encoder]))
  trial.serve('chat')
  trial.request('encoder')
  trial.advance(10_000)
  expect(trial.log).toEqual(['start chat-0', 'admit 1', 'start encoder-1', 'admit 2'])
})

test('where pinned models fill all, a request is rejected with their names', () => {
  const trial = new Trial(gpu([chat('pinned', 20, { pinned: true }), chat('other', 10)]))
  trial.advance(10_000)
  trial.request('other')
  trial.advance(1_000)
  const [rejection] = trial.rejections
  expect(rejection?.code).toBe('insufficient_memory')
  expect(rejection?.facts.shortage?.holders).toEqual([{ model: 'pinned', bytes: 20 * GiB }])
  expect(trial.state('pinned')).toBe('ready')
})

test('twenty small models stay loaded as long as they fit, then the least valuable goes', () => {
  const trial = new Trial(gpu(Array.from({ length: 24 }, (_, index) => chat(`m${index}`, 1))))
  for (let index = 0; index < 24; index++) {
    trial.serve(`m${index}`)
  }
  expect(trial.log.filter((entry) => entry.startsWith('start')).length).toBe(24)
  expect(trial.log.filter((entry) => entry.startsWith('stop')).length).toBe(1)
})

test('a model that crashes in its start is tried three times, then its requests fail for a minute', () => {
  const trial = new Trial(gpu([chat('a', 10)]))
  trial.starts = ['crashes', 'crashes', 'crashes']
  trial.request('a')
  trial.advance(30_000)
  expect(trial.count('start a-0')).toBe(3)
  trial.request('a')
  expect(trial.rejections.map(({ code }) => code)).toEqual(['model_unavailable', 'model_unavailable'])
  trial.advance(61_000)
  trial.request('a')
  trial.advance(5_000)
  expect(trial.log.at(-1)).toBe('admit 3')
})

test('a start that runs out of memory is tried again once, then with less; others stay loaded', () => {
  const trial = new Trial(gpu([chat('a', 10), chat('b', 5)]))
  trial.serve('b')
  trial.starts = ['runs out of memory', 'runs out of memory']
  trial.request('a')
  trial.advance(60_000)
  expect(trial.log).toEqual(['start b-0', 'admit 1', 'start a-0', 'start a-0', 'start a-1', 'admit 2'])
})

test('where no placement has enough memory, the model fails for a while and begins with the last one', () => {
  const trial = new Trial(gpu([chat('a', 10)]))
  trial.starts = Array.from({ length: 4 }, () => 'runs out of memory')
  trial.request('a')
  trial.advance(60_000)
  expect(trial.rejections[0]?.code).toBe('insufficient_memory')
  trial.advance(60_000)
  trial.request('a')
  trial.advance(10_000)
  expect(trial.log.slice(-2)).toEqual(['start a-1', 'admit 2'])
})

test('memory that does not come back after an exit counts as used by others after five seconds', () => {
  const trial = new Trial(gpu([chat('a', 20), chat('b', 20)]))
  trial.returnMs = 1e9
  trial.serve('a')
  trial.request('b')
  trial.advance(20_000)
  expect(trial.log).toEqual(['start a-0', 'admit 1', 'stop a graceful evicted', 'reject 2 insufficient_memory'])
  expect(trial.scheduler.pools()[0]?.foreignBytes).toBe(20 * GiB)
})

const onHost = (id: string, gib: number): BoxModel => ({ id, placements: [{ gib: { host: gib } }] })

test("the host's memory is back when a process is gone, whatever other programs take meanwhile", () => {
  const trial = new Trial(gpu([onHost('a', 40), onHost('b', 20)]))
  trial.serve('a')
  trial.foreign.host = 15 * GiB
  trial.request('b')
  trial.advance(3_500)
  expect(trial.log).toEqual(['start a-0', 'admit 1', 'stop a graceful evicted', 'start b-0', 'admit 2'])
})

test('memory that was read before a process ended does not count as used by others', () => {
  const trial = new Trial(gpu([onHost('a', 40)]))
  trial.serve('a')
  const freeBytes = 24 * GiB
  const { scheduler } = trial
  expect(scheduler.handle({ type: 'tick' }, 60_000)).toContainEqual({ type: 'read-memory' })
  scheduler.handle({ type: 'exited', model: 'a', cause: 'ended', reason: 'it ended' }, 60_100)
  scheduler.handle({ type: 'memory', pools: { host: { totalBytes: 64 * GiB, freeBytes } } }, 60_200)
  expect(scheduler.pools().find(({ id }) => id === 'host')).toMatchObject({ foreignBytes: 0, reservedBytes: 0 })
})

test('a model that fills the memory is loaded again after the system took its memory back', () => {
  const trial = new Trial(gpu([onHost('a', 57.5)]))
  trial.serve('a')
  trial.tell({ type: 'exited', model: 'a', cause: 'oom', reason: 'signal SIGKILL' })
  trial.advance(10_000)
  expect(trial.state('a')).toBe('ready')
  trial.request('a')
  expect(trial.log.at(-1)).toBe('admit 2')
})

test('a process that does not end freezes its pool until it has ended', () => {
  const trial = new Trial(gpu([chat('a', 20), chat('b', 20)]))
  trial.isDeaf = true
  trial.serve('a')
  trial.request('b')
  trial.advance(60_000)
  expect(trial.log.slice(-2)).toEqual(['stop a graceful evicted', 'stop a now stuck'])
  expect(trial.scheduler.pools()[0]?.isFrozen).toBe(true)
  trial.end('a')
  trial.advance(10_000)
  expect(trial.log.at(-1)).toBe('admit 2')
})

test('a start without progress is ended after a minute', () => {
  const trial = new Trial(gpu([chat('a', 10)]))
  trial.starts = ['hangs']
  trial.request('a')
  trial.advance(70_000)
  expect(trial.log).toEqual(['start a-0', 'stop a now stuck', 'start a-0', 'admit 1'])
})

test('the place of a cancelled load goes to a model that others wait for', () => {
  const trial = new Trial(gpu([chat('a', 20, { loadMs: 10_000 }), chat('b', 20)]))
  trial.starts = ['hangs']
  const request = trial.request('a')
  trial.advance(1_000)
  trial.tell({ type: 'cancel', request })
  trial.advance(1_000)
  expect(trial.state('a')).toBe('starting')
  trial.request('b')
  trial.advance(10_000)
  expect(trial.log).toEqual(['start a-0', 'stop a now unwanted', 'start b-0', 'admit 2'])
})

test('after a restart pinned models are loaded first, then preloaded ones, as far as there is room', () => {
  const models = [
    chat('first', 6, { preload: true }),
    chat('pinned', 6, { pinned: true }),
    chat('second', 6, { preload: true }),
    chat('third', 6, { preload: true }),
  ]
  const trial = new Trial(gpu(models))
  trial.advance(60_000)
  expect(trial.log).toEqual(['start pinned-0', 'start first-0', 'start second-0'])
})

test('a jump of the clock neither rejects who waits nor kills a start', () => {
  const trial = new Trial(gpu([chat('a', 20)]))
  trial.starts = ['hangs']
  trial.request('a')
  trial.advance(1_000)
  for (const jumpMs of [3_600_000, -7_200_000]) {
    trial.nowMs += jumpMs
    expect(trial.scheduler.handle({ type: 'tick' }, trial.nowMs).map(({ type }) => type)).not.toContain('stop')
  }
  const effects = trial.scheduler.handle({ type: 'started', model: 'a' }, trial.nowMs)
  expect(effects[0]).toEqual({ type: 'admit', request: 1, model: 'a' })
})

test('a model is unloaded when nothing asked for it as long as it is kept', () => {
  const trial = new Trial(gpu([chat('a', 10, { keepAliveMs: 60_000 })]))
  trial.serve('a')
  trial.advance(59_000)
  expect(trial.state('a')).toBe('ready')
  trial.advance(2_000)
  expect(trial.log.at(-1)).toBe('stop a graceful keep-alive')
})

test('a request that would wait for longer than it may is rejected at once', () => {
  const trial = new Trial(gpu([chat('a', 10)]))
  trial.request('a', { waitLimitMs: 1_000 })
  expect(trial.rejections[0]).toMatchObject({ code: 'model_loading', retryAfterSeconds: 5 })
})

test('an account that has nothing admitted is let in beyond the places, up to twice as many', () => {
  const trial = new Trial(gpu([chat('a', 10, { places: 2, parallel: 1 })]))
  for (const account of ['one', 'one', 'one', 'two', 'three', 'four']) trial.request('a', { account })
  trial.advance(5_000)
  expect(trial.log).toEqual(['start a-0', 'admit 1', 'admit 4', 'admit 5', 'admit 6'])
})

test('ten thousand events a second are handled while a thousand requests wait', () => {
  const models = Array.from({ length: 20 }, (_, index) => ({
    ...{ id: `m${index}`, revision: '1', parallel: 8, places: 16, maxWaiting: 1024, pinned: false, preload: false },
    loadMs: 5_000,
  }))
  const scheduler = new Scheduler(0)
  scheduler.handle({ type: 'configured', settings: { pools: {}, models } }, 0)
  let request = 0
  const ask = (nowMs: number) =>
    scheduler.handle(
      {
        ...{ type: 'request', request: ++request, model: `m${request % 20}`, account: `a${request % 50}` },
        ...{ kind: 'chat', waitLimitMs: 1e9 },
      },
      nowMs,
    )
  for (let count = 0; count < 1_000; count++) ask(count)
  for (const { id } of models) {
    const placements = [{ key: '0', label: '', needBytes: { gpu0: 20 * GiB }, load: {} }]
    scheduler.handle({ type: 'estimated', model: id, placements }, 1_000)
  }
  const pools = { gpu0: { totalBytes: 24 * GiB, freeBytes: 24 * GiB } }
  scheduler.handle({ type: 'memory', pools }, 1_000)
  const before = process.cpuUsage()
  for (let count = 0; count < 1_000; count++) {
    ask(1_000 + count)
    scheduler.handle({ type: 'cancel', request }, 1_000 + count)
  }
  const { user, system } = process.cpuUsage(before)
  // Two thousand events. The limit is five times the promised time, since the machine may be busy.
  expect((user + system) / 1000).toBeLessThan(1_000)
})
