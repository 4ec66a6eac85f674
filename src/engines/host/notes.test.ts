/** Notes between two processes of a model: real memory files, and a clock that a test moves. */
import { afterEach, expect, test } from 'bun:test'
import { ftruncateSync } from 'node:fs'
import { ManualClock } from '../../testing/manual-clock.ts'
import type { NotePart } from '../protocol/engine.ts'
import { Notes } from './notes.ts'

const limitMs = 1_000
const made: Notes[] = []
afterEach(() => {
  for (const notes of made.splice(0)) notes.forgetAll()
})

function part(bytes: number, idleMs: number): NotePart {
  return { idleMs, bytes, label: 'of the engine' }
}

function start() {
  const clock = new ManualClock()
  const notes = new Notes({ clock, limitMs })
  made.push(notes)
  /** Runs a process of the model that leaves these parts. */
  const run = (modelId: string, parts: readonly NotePart[], revision = '1') => {
    const note = notes.begin(modelId, revision, 'prompts')
    if (note === undefined) throw new Error('this system has no memory files')
    const found = note.parts
    ftruncateSync(note.file, 0)
    ftruncateSync(
      note.file,
      parts.reduce((sum, { bytes }) => sum + bytes, 0),
    )
    note.record(parts)
    notes.end(note)
    return found
  }
  return { clock, notes, run }
}

test('the next process of a model finds what the last one left, and how old it is by then', () => {
  const { clock, notes, run } = start()
  expect(run('a', [part(10, 100), part(20, 200)])).toEqual([])
  expect(notes.bytes).toBe(30)
  clock.pass(50)
  expect(run('a', [])).toEqual([part(10, 150), part(20, 250)])
  expect(notes.bytes).toBe(0)
})

test('another revision finds nothing', () => {
  const { notes, run } = start()
  run('a', [part(10, 0)])
  expect(run('a', [], '2')).toEqual([])
  expect(notes.bytes).toBe(0)
})

test('each prompt is freed when its time is over', () => {
  const { clock, notes, run } = start()
  run('a', [part(1, 0), part(2, 600)])
  run('b', [part(4, 300)])
  expect(notes.expire()).toBe(400)
  clock.pass(399)
  notes.expire()
  expect(notes.bytes).toBe(7)
  clock.pass(1)
  expect(notes.expire()).toBe(300)
  expect(notes.bytes).toBe(5)
  clock.pass(600)
  expect(notes.expire()).toBe(Number.POSITIVE_INFINITY)
  expect(notes.bytes).toBe(0)
})

test('a prompt whose time was over before its process ended does not wait', () => {
  const { notes, run } = start()
  run('a', [part(1, 10), part(2, limitMs)])
  expect(notes.bytes).toBe(1)
})

test('where there is less room, the longest unused of all models go first', () => {
  const { notes, run } = start()
  run('a', [part(10, 0), part(20, 500)])
  run('b', [part(30, 100), part(40, 400)])
  notes.fit(100)
  expect(notes.bytes).toBe(100)
  notes.fit(99)
  expect([notes.bytesOf('a'), notes.bytesOf('b')]).toEqual([10, 70])
  notes.fit(10)
  expect([notes.bytesOf('a'), notes.bytesOf('b')]).toEqual([10, 0])
  notes.fit(0)
  expect(notes.bytes).toBe(0)
})

test('a process that could not load leaves what it found', () => {
  const { notes, run } = start()
  run('a', [part(10, 0)])
  const note = notes.begin('a', '1', 'prompts')
  expect(notes.bytes).toBe(0)
  if (note !== undefined) notes.end(note)
  expect(notes.bytes).toBe(10)
})

test('what a process had begun to read is not used', () => {
  const { notes, run } = start()
  run('a', [part(10, 0)])
  const note = notes.begin('a', '1', 'prompts')
  if (note === undefined) throw new Error('nothing was left')
  ftruncateSync(note.file, 5)
  expect(note.isWhole).toBe(false)
  notes.end(note)
  expect(notes.bytes).toBe(0)
})

test('what is forgotten while a process loads, or is just leaving it, does not wait', () => {
  const { notes, run } = start()
  for (const forget of [() => notes.forget('a'), () => notes.forgetAll()]) {
    run('a', [part(10, 0)])
    const loading = notes.begin('a', '1', 'prompts')
    if (loading === undefined) throw new Error('nothing was left')
    forget()
    notes.end(loading)
    expect(notes.bytes).toBe(0)
    const leaving = notes.begin('a', '1', 'prompts')
    if (leaving === undefined) throw new Error('this system has no memory files')
    forget()
    ftruncateSync(leaving.file, 10)
    leaving.record([part(10, 0)])
    notes.end(leaving)
    expect(notes.bytes).toBe(0)
    expect(run('a', [])).toEqual([])
  }
})

test('what waits for other models is not forgotten with one', () => {
  const { notes, run } = start()
  run('a', [part(10, 0)])
  const other = notes.begin('a', '1', 'prompts')
  notes.forget('b')
  if (other !== undefined) notes.end(other)
  expect(notes.bytes).toBe(10)
})

test('nothing waits where no time is allowed', () => {
  expect(new Notes({ clock: new ManualClock(), limitMs: 0 }).begin('a', '1', 'prompts')).toBeUndefined()
})
