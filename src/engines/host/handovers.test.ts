/** What waits between two processes of a model: real memory files, and a clock that a test moves. */
import { afterEach, expect, test } from 'bun:test'
import { ftruncateSync } from 'node:fs'
import { ManualClock } from '../../testing/manual-clock.ts'
import type { HandedPrefix } from '../protocol/protocol.ts'
import { Handovers } from './handovers.ts'

const limitMs = 1_000
const made: Handovers[] = []
afterEach(() => {
  for (const handovers of made.splice(0)) handovers.forgetAll()
})

function prefix(bytes: number, idleMs: number): HandedPrefix {
  return { owner: 'acc_a', idleMs, bytes, hash: 0n, units: 0, windowStart: 0, pictures: [] }
}

function start() {
  const clock = new ManualClock()
  const handovers = new Handovers({ clock, limitMs })
  made.push(handovers)
  /** A process of the model runs, and leaves this. */
  const run = (modelId: string, prefixes: readonly HandedPrefix[], revision = '1') => {
    const handover = handovers.begin(modelId, revision)
    if (handover === undefined) throw new Error('this system has no memory files')
    const found = handover.prefixes
    ftruncateSync(handover.file, 0)
    ftruncateSync(
      handover.file,
      prefixes.reduce((sum, { bytes }) => sum + bytes, 0),
    )
    handover.note(prefixes)
    handovers.end(handover)
    return found
  }
  return { clock, handovers, run }
}

test('the next process of a model finds what the last one left, and how old it is by then', () => {
  const { clock, handovers, run } = start()
  expect(run('a', [prefix(10, 100), prefix(20, 200)])).toEqual([])
  expect(handovers.bytes).toBe(30)
  clock.pass(50)
  expect(run('a', [])).toEqual([prefix(10, 150), prefix(20, 250)])
  expect(handovers.bytes).toBe(0)
})

test('another revision finds nothing', () => {
  const { handovers, run } = start()
  run('a', [prefix(10, 0)])
  expect(run('a', [], '2')).toEqual([])
  expect(handovers.bytes).toBe(0)
})

test('each prompt is freed when its time is over', () => {
  const { clock, handovers, run } = start()
  run('a', [prefix(1, 0), prefix(2, 600)])
  run('b', [prefix(4, 300)])
  expect(handovers.expire()).toBe(400)
  clock.pass(399)
  handovers.expire()
  expect(handovers.bytes).toBe(7)
  clock.pass(1)
  expect(handovers.expire()).toBe(300)
  expect(handovers.bytes).toBe(5)
  clock.pass(600)
  expect(handovers.expire()).toBe(Number.POSITIVE_INFINITY)
  expect(handovers.bytes).toBe(0)
})

test('a prompt whose time was over before its process ended does not wait', () => {
  const { handovers, run } = start()
  run('a', [prefix(1, 10), prefix(2, limitMs)])
  expect(handovers.bytes).toBe(1)
})

test('where there is less room, the longest unused of all models go first', () => {
  const { handovers, run } = start()
  run('a', [prefix(10, 0), prefix(20, 500)])
  run('b', [prefix(30, 100), prefix(40, 400)])
  handovers.fit(100)
  expect(handovers.bytes).toBe(100)
  handovers.fit(99)
  expect([handovers.bytesOf('a'), handovers.bytesOf('b')]).toEqual([10, 70])
  handovers.fit(10)
  expect([handovers.bytesOf('a'), handovers.bytesOf('b')]).toEqual([10, 0])
  handovers.fit(0)
  expect(handovers.bytes).toBe(0)
})

test('a process that could not load leaves what it found', () => {
  const { handovers, run } = start()
  run('a', [prefix(10, 0)])
  const handover = handovers.begin('a', '1')
  expect(handovers.bytes).toBe(0)
  if (handover !== undefined) handovers.end(handover)
  expect(handovers.bytes).toBe(10)
})

test('what a process had begun to read is not used', () => {
  const { handovers, run } = start()
  run('a', [prefix(10, 0)])
  const handover = handovers.begin('a', '1')
  if (handover === undefined) throw new Error('nothing was left')
  ftruncateSync(handover.file, 5)
  expect(handover.isWhole).toBe(false)
  handovers.end(handover)
  expect(handovers.bytes).toBe(0)
})

test('what is forgotten while a process loads, or is just leaving it, does not wait', () => {
  const { handovers, run } = start()
  for (const forget of [() => handovers.forget('a'), () => handovers.forgetAll()]) {
    run('a', [prefix(10, 0)])
    const loading = handovers.begin('a', '1')
    if (loading === undefined) throw new Error('nothing was left')
    forget()
    handovers.end(loading)
    expect(handovers.bytes).toBe(0)
    const leaving = handovers.begin('a', '1')
    if (leaving === undefined) throw new Error('this system has no memory files')
    forget()
    ftruncateSync(leaving.file, 10)
    leaving.note([prefix(10, 0)])
    handovers.end(leaving)
    expect(handovers.bytes).toBe(0)
    expect(run('a', [])).toEqual([])
  }
})

test('what waits for other models is not forgotten with one', () => {
  const { handovers, run } = start()
  run('a', [prefix(10, 0)])
  const other = handovers.begin('a', '1')
  handovers.forget('b')
  if (other !== undefined) handovers.end(other)
  expect(handovers.bytes).toBe(10)
})

test('nothing waits where no time is allowed', () => {
  expect(new Handovers({ clock: new ManualClock(), limitMs: 0 }).begin('a', '1')).toBeUndefined()
})
