import { expect, test } from 'bun:test'
import { chatModel, gpuBox, settingsOf } from '../testing/scheduler/boxes.ts'
import { Trial } from '../testing/scheduler/trial.ts'

const GiB = 1024 ** 3
const box = gpuBox([chatModel('a', 10)])

function revise(trial: Trial): void {
  const { models, ...settings } = settingsOf(trial.box)
  trial.tell({ type: 'configured', settings: { ...settings, models: models.map((m) => ({ ...m, revision: '2' })) } })
}

test('a model that cannot be loaded fails for twice as long each time', () => {
  const trial = new Trial(box)
  for (const failedMs of [60_000, 120_000]) {
    trial.starts = ['crashes', 'crashes', 'crashes']
    trial.request('a')
    trial.advance(30_000)
    const { failure } = trial.scheduler.models()[0] ?? {}
    const leftMs = (failure?.untilMs ?? 0) - trial.nowMs
    expect(leftMs).toBeGreaterThan(failedMs - 31_000)
    expect(leftMs).toBeLessThanOrEqual(failedMs)
    trial.advance(leftMs + 1_000)
  }
})

test('a start that succeeds ends a row of failures', () => {
  const trial = new Trial(box)
  trial.starts = ['crashes', 'crashes', 'crashes']
  trial.request('a')
  trial.advance(120_000)
  trial.serve('a')
  trial.starts = ['crashes', 'crashes']
  trial.end('a')
  trial.advance(30_000)
  const { failure } = trial.scheduler.models()[0] ?? {}
  expect((failure?.untilMs ?? Number.POSITIVE_INFINITY) - trial.nowMs).toBeLessThanOrEqual(60_000)
})

test('a start that ran out of memory waits until memory had time to come back', () => {
  const trial = new Trial(box)
  trial.starts = ['runs out of memory']
  trial.request('a')
  trial.advance(6_500)
  expect(trial.count('start a-0')).toBe(1)
  trial.advance(2_000)
  expect(trial.count('start a-0')).toBe(2)
})

test('an operator who loads a model begins again with its best placement', () => {
  const trial = new Trial(box)
  trial.starts = Array.from({ length: 4 }, () => 'runs out of memory')
  trial.request('a')
  trial.advance(60_000)
  trial.tell({ type: 'load', model: 'a', request: 99, waitLimitMs: 60_000 })
  trial.advance(10_000)
  expect(trial.log.slice(-2)).toEqual(['start a-0', 'admit 99'])
})

test('the failure of a model that the operator unloads is over, and the next one lasts longer all the same', () => {
  const trial = new Trial(box)
  for (const failedMs of [60_000, 120_000]) {
    trial.starts = ['crashes', 'crashes', 'crashes']
    trial.request('a')
    trial.advance(30_000)
    const { failure } = trial.scheduler.models()[0] ?? {}
    expect((failure?.untilMs ?? 0) - trial.nowMs).toBeWithin(failedMs - 31_000, failedMs + 1)
    trial.tell({ type: 'unload', model: 'a' })
    const after = trial.scheduler.models()[0]
    expect([after?.state, after?.failure]).toEqual(['stopped', undefined])
  }
})

test('a process that runs out of memory while it serves is given more the next time', () => {
  const trial = new Trial(box)
  trial.serve('a')
  trial.tell({ type: 'exited', model: 'a', cause: 'oom', reason: 'killed' })
  trial.advance(1_000)
  expect(trial.scheduler.models()[0]?.reserved).toEqual({ gpu0: 10.5 * GiB })
})

test('a process that is killed again and again is not given all memory in the end', () => {
  const trial = new Trial(box)
  for (let kill = 0; kill < 8; kill++) {
    trial.serve('a')
    trial.tell({ type: 'finished', request: trial.request('a'), isServed: true })
    trial.tell({ type: 'exited', model: 'a', cause: 'oom', reason: 'signal SIGKILL' })
    trial.advance(5_000)
  }
  expect(trial.scheduler.models()[0]?.reserved).toEqual({ gpu0: 12 * GiB })
})

test('a process that crashes without requests is started again where there is room', () => {
  const trial = new Trial(box)
  trial.serve('a')
  trial.end('a')
  trial.advance(5_000)
  expect(trial.state('a')).toBe('ready')
})

test('with another revision failures and what was measured are forgotten', () => {
  const trial = new Trial(box)
  trial.serve('a')
  trial.tell({ type: 'grew', model: 'a', measured: { gpu0: 12 * GiB } })
  revise(trial)
  trial.advance(5_000)
  trial.tell({ type: 'start-failed', model: 'a', cause: 'bad-model', reason: 'late' })
  trial.serve('a')
  expect(trial.scheduler.models()[0]?.reserved).toEqual({ gpu0: 10 * GiB })
})

test('files that are no model are tried again when they change', () => {
  const trial = new Trial(box)
  trial.starts = ['hangs']
  trial.request('a')
  trial.advance(1_000)
  trial.tell({ type: 'start-failed', model: 'a', cause: 'bad-model', reason: 'no header' })
  trial.end('a')
  trial.advance(3_600_000)
  trial.request('a')
  revise(trial)
  trial.request('a')
  trial.advance(5_000)
  expect(trial.log.slice(1)).toEqual([
    'reject 1 model_unavailable',
    'reject 2 model_unavailable',
    'start a-0',
    'admit 3',
  ])
})

test('a model goes elsewhere while its device cannot be read', () => {
  const trial = new Trial({ ...box, models: [{ id: 'a', placements: [{ gib: { gpu0: 4 } }, { gib: { host: 4 } }] }] })
  const pools = { gpu0: 'unknown', host: { totalBytes: 64 * GiB, freeBytes: 64 * GiB } } as const
  for (let count = 0; count < 3; count++) trial.tell({ type: 'memory', pools })
  trial.unreadable.add('gpu0')
  trial.request('a')
  trial.advance(5_000)
  expect(trial.log).toEqual(['start a-1', 'admit 1'])
})
