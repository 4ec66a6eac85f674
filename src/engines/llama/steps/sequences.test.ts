/** Cached tokens that a request starts from: a wrong prefix would answer somebody else's words. */
import { expect, test } from 'bun:test'
import { layoutOf, tokens } from '../../../testing/prompt-layouts.ts'
import type { NativeContext } from '../native.ts'
import { MoveWorth } from './processor.ts'
import type { PromptLayout } from './prompt-layout.ts'
import { Sequences } from './sequences.ts'

/** Knows no costs. */
const anyMove = new MoveWorth()

/** Records the content of each sequence; a saved state is the text that the sequence held. */
function cache({ count = 3, parkedBytes = 10_000, shareCache = false, isUnified = true, moveWorth = anyMove } = {}) {
  let saved = 0
  const held: string[] = new Array<string>(count).fill('')
  const context: NativeContext = {
    contextTokens: 1024,
    maxOutputs: 32,
    step: () => Promise.reject(new Error('nothing is decoded here')),
    removeSequence: (index, from) => {
      held[index] = (held[index] ?? '').slice(0, from)
      return true
    },
    copySequence: (source, target, _from, to) => {
      held[target] = (held[source] ?? '').slice(0, to < 0 ? undefined : to)
    },
    minPosition: () => 0,
    maxPosition: () => 0,
    saveSequence: (index) => {
      saved++
      return new TextEncoder().encode(held[index])
    },
    restoreSequence: (index, state) => {
      held[index] = new TextDecoder().decode(state)
      return true
    },
    memoryBreakdown: () => [],
    close: async () => undefined,
  }
  const sequences = new Sequences({
    ...{ context, count, shareCache, parkedBytes, isUnified, moveWorth },
    ...{ isRecurrent: false, slidingWindowTokens: 0 },
  })
  /** Runs a request up to its end. Returns the text that it started from. */
  const begin = (text: string, account = 'a') => {
    const { sequence, reused } = sequences.acquire(layoutOf(text), account)
    const from = held[sequence] ?? ''
    expect(from).toBe(text.slice(0, reused))
    sequences.append(sequence, tokens(text.slice(reused)))
    held[sequence] = text
    return { sequence, reused }
  }
  const run = (text: string, account?: string) => {
    const { sequence, reused } = begin(text, account)
    sequences.release(sequence)
    return reused
  }
  return { sequences, begin, run, saved: () => saved }
}

const base = 'a system prompt of some length. '

test('an idle conversation goes on where it lies', () => {
  const { run } = cache()
  run(`${base}hello`)
  expect(run(`${base}hello, and more`)).toBe(base.length + 5)
})

test('a parked conversation comes back', () => {
  const { sequences, run } = cache()
  run(`${base}hello`)
  sequences.parkIdle()
  expect(run(`${base}hello, and more`)).toBe(base.length + 5)
})

test('what is parked to make room does not change which prefix is brought back', () => {
  // Room for two of the three prefixes: parking the last one evicts the first.
  const { sequences, run } = cache({ parkedBytes: 120 })
  run('nobody continues this one here')
  sequences.parkIdle()
  run(`${base}a long conversation about something else`)
  sequences.parkIdle()
  run(`${base}xyz`)
  expect(run(`${base}a long conversation about something else goes on`)).toBe(base.length + 40)
})

test('a prefix that is pushed out by the making of room is still brought back', () => {
  const { sequences, run } = cache({ parkedBytes: 105 })
  run(`${base}a long conversation about something else`)
  sequences.parkIdle()
  run(`${base}xyz`)
  expect(run(`${base}a long conversation about something else goes on`)).toBe(base.length + 40)
})

test('a conversation that goes on outlives texts that are read once', () => {
  // Room for the new prefix and one of the others.
  const { sequences, run } = cache({ parkedBytes: 100 })
  const read = (texts: string) => {
    for (const character of texts) {
      sequences.parkIdle()
      run(character.repeat(40))
    }
    sequences.parkIdle()
  }
  run(`${base}hello`)
  run(`${base}hello, and more`)
  read('abc')
  expect(run(`${base}hello, and more, then`)).toBe(base.length + 15)
  read('def')
  expect(run(`${base}hello, and more, then the end`)).toBe(base.length + 21)
})

test('a prompt with another picture at the same place starts from what stands before it', () => {
  const { sequences } = cache()
  const prompt = (name: string) => layoutOf(base, { name, entries: 8 }, 'What?')
  const run = (layout: PromptLayout) => {
    const { sequence, reused } = sequences.acquire(layout, 'a')
    sequences.append(sequence, Array.from(layout.units).slice(reused))
    sequences.release(sequence)
    return reused
  }
  expect(run(prompt('cat'))).toBe(0)
  expect(run(prompt('dog'))).toBe(base.length)
  expect(run(prompt('dog'))).toBe(base.length + 8 + 4)
})

test('the beginning of a running request is copied, within the account', () => {
  const { begin, run } = cache()
  begin(`${base}hello`)
  expect(run(`${base}other`)).toBe(base.length)
  expect(run(`${base}other`, 'b')).toBe(0)
})

test('in caches of their own, idle conversations stay where they are until another prompt wants their place', () => {
  const { run, begin, sequences, saved } = cache({ isUnified: false, count: 2 })
  run(`${base}hello`)
  const other = begin('something else entirely, and long enough')
  sequences.parkBeside()
  // The first sequence is chosen, since batches over neighbours are the cheapest.
  expect(other.sequence).toBe(0)
  expect(saved()).toBe(1)
  sequences.release(other.sequence)
  const back = begin(`${base}hello, and more`)
  expect(back.reused).toBe(base.length + 5)
  expect(saved()).toBe(2)
  sequences.release(back.sequence)
  expect(run(`${base}hello, and more, and more`)).toBe(base.length + 15)
  expect(saved()).toBe(2)
})

test('in caches of their own, another conversation starts from what an idle one begins with', () => {
  const { run } = cache({ isUnified: false, count: 2 })
  run(`${base}${'A long question about one thing. '.repeat(3)}`)
  expect(run(`${base}Something else?`)).toBe(base.length)
})

test('a state whose move takes longer than its computation is dropped', () => {
  const moveWorth = new MoveWorth()
  moveWorth.noteComputed(100, 10)
  moveWorth.noteSave(100, 11)
  for (const isUnified of [true, false]) {
    const { run, begin, saved, sequences } = cache({ isUnified, count: 1, moveWorth })
    run(`${base}hello`)
    expect(run(`${base}hello, and more`)).toBe(base.length + 5)
    const other = begin('something else entirely, and long enough')
    sequences.release(other.sequence)
    expect(saved()).toBe(0)
    expect(run(`${base}hello, and more, and more`)).toBe(0)
  }
})
