/** Prefixes that one process leaves to the next, through a real memory file. */
import { expect, test } from 'bun:test'
import { fstatSync, ftruncateSync, readSync, writeSync } from 'node:fs'
import { openMemoryFile } from '../../../machine/memory-file.ts'
import { handOver, takeOver, worthKeepingUnits } from './handover.ts'
import type { ParkedPrefix } from './parked-prefixes.ts'
import { MediaUnits } from './prefix-cache.ts'

const count = worthKeepingUnits
const bytesEach = 4 * count + 1000

function prefix(fill: number, more: Partial<ParkedPrefix> = {}): ParkedPrefix {
  const units = Array.from({ length: count }, (_, index) => fill + index)
  return { units, accountId: 'acc_a', windowStart: fill, state: new Uint8Array(1000).fill(fill), usedMs: 0, ...more }
}

/** Makes two processes with the same file and separate clocks. */
function processes({ media }: { media?: MediaUnits } = {}) {
  const file = openMemoryFile('inferd test')
  if (file === undefined) throw new Error('this system has no memory files')
  return {
    file,
    leaving: { file, media, nowMs: () => 5_000 },
    next: { file, media: media && new MediaUnits(), nowMs: () => 100_000 },
  }
}

test('what was left is there again, the least recently used first, and nothing stays in the file', () => {
  const { file, leaving, next } = processes()
  const [newer, older] = [prefix(1, { usedMs: 4_000 }), prefix(2, { usedMs: 1_000, accountId: 'acc_b salt' })]
  const handed = handOver([newer, older], 1e6, leaving)
  expect(handed).toMatchObject([
    { idleMs: 1_000, bytes: bytesEach, label: { owner: 'acc_a', units: count } },
    { idleMs: 4_000, label: { owner: 'acc_b salt' } },
  ])
  expect(fstatSync(file).size).toBe(2 * bytesEach)
  expect([...takeOver(handed, next)]).toEqual([
    prefix(2, { usedMs: 96_000, accountId: 'acc_b salt' }),
    prefix(1, { usedMs: 99_000 }),
  ])
  expect(fstatSync(file).size).toBe(0)
})

test('short prompts are not worth it, and what nobody owns is left to nobody', () => {
  const { file, leaving } = processes()
  const short = prefix(1, { units: Array.from({ length: count - 1 }, () => 7) })
  expect(handOver([short, prefix(2, { accountId: undefined })], 1e6, leaving)).toEqual([])
  expect(fstatSync(file).size).toBe(0)
})

test('no more is left than may be, and a smaller prompt takes the place of one that is too large', () => {
  const { file, leaving } = processes()
  const large = prefix(1, { state: new Uint8Array(1001) })
  const handed = handOver([prefix(2), large, prefix(3), prefix(4)], 2 * bytesEach, leaving)
  expect(handed.map(({ label }) => label.windowStart)).toEqual([2, 3])
  expect(fstatSync(file).size).toBe(2 * bytesEach)
})

test('a process that ends does not write for longer than a second', () => {
  const { file, leaving } = processes()
  let atMs = 0
  const nowMs = () => {
    atMs += 200
    return atMs
  }
  const handed = handOver([prefix(1), prefix(2), prefix(3)], 1e6, { ...leaving, nowMs })
  expect(handed).toHaveLength(1)
  expect(fstatSync(file).size).toBe(bytesEach)
})

test('what was written takes no second memory', () => {
  const { leaving } = processes()
  const [written, tooLarge] = [prefix(1), prefix(2)]
  handOver([written, tooLarge], bytesEach, leaving)
  expect([written.state.length, tooLarge.state.length]).toEqual([0, 1000])
})

test('what a process that died has left there is not kept by the next one, which is told of nothing', () => {
  const { file, leaving, next } = processes()
  handOver([prefix(1)], 1e6, leaving)
  expect([...takeOver([], next)]).toEqual([])
  expect(fstatSync(file).size).toBe(0)
})

test('what was changed is not read, others are', () => {
  for (const place of [0, 4 * count - 1, 4 * count, bytesEach - 1]) {
    const { file, leaving, next } = processes()
    const handed = handOver([prefix(1), prefix(2), prefix(3)], 1e6, leaving)
    const byte = new Uint8Array(1)
    readSync(file, byte, 0, 1, bytesEach + place)
    writeSync(file, Uint8Array.of((byte[0] ?? 0) ^ 1), 0, 1, bytesEach + place)
    expect([...takeOver(handed, next)].map(({ windowStart }) => windowStart)).toEqual([3, 1])
  }
})

test('what was cut is not read, others are', () => {
  const { file, leaving, next } = processes()
  const handed = handOver([prefix(1), prefix(2)], 1e6, leaving)
  ftruncateSync(file, 2 * bytesEach - 1)
  expect([...takeOver(handed, next)].map(({ windowStart }) => windowStart)).toEqual([1])
})

test('pictures are known again by what they show, though the next process counts them otherwise', () => {
  const media = new MediaUnits()
  const { leaving, next } = processes({ media })
  const [one, two] = [media.unitOf('one'), media.unitOf('two')]
  const units = prefix(1).units.with(5, one).with(6, one).with(9, two)
  const handed = handOver([prefix(1, { units })], 1e6, leaving)
  for (const key of ['another', 'and another']) next.media?.unitOf(key)
  const other = next.media?.unitOf('two') ?? 0
  const [read] = [...takeOver(handed, next)]
  const again = next.media?.unitOf('one') ?? 0
  expect(read?.units).toEqual(prefix(1).units.with(5, again).with(6, again).with(9, other))
  expect(other).not.toBe(two)
})

test('a prompt whose picture is forgotten is not left, and a model that sees none takes none over', () => {
  const media = new MediaUnits()
  const { leaving, next } = processes({ media })
  const known = prefix(2, { units: prefix(2).units.with(0, media.unitOf('one')) })
  const handed = handOver([prefix(1, { units: prefix(1).units.with(0, -99) }), known], 1e6, leaving)
  expect(handed.map(({ label }) => label.windowStart)).toEqual([2])
  expect([...takeOver(handed, { ...next, media: undefined })]).toEqual([])
})
