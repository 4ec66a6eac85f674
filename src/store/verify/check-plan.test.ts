import { expect, test } from 'bun:test'
import { chunkBytes } from '../chunk-sum.ts'
import type { LockedFile } from '../lock.ts'
import { planCheck } from './check-plan.ts'

const sum = 'a'.repeat(64)

function file(name: string, chunks: number, verifiedAtMs = 100): LockedFile {
  const bytes = chunks * chunkBytes - 1
  return {
    role: 'model',
    name,
    bytes,
    sha256: sum,
    chunkSums: Array(chunks).fill('a'.repeat(16)),
    source: 'x',
    verifiedAtMs,
    stat: { mtimeMs: 0, inode: 0 },
  }
}

const clean = { suspectAfterMs: Number.POSITIVE_INFINITY, random: () => 0.999 }

test('three chunks of all files are compared, each once', () => {
  const states = [file('a', 2), file('b', 3)].map((each) => ({ file: each, isUnchanged: true }))
  const { whole, chunks } = planCheck(states, clean)
  expect(whole).toEqual([])
  expect(chunks.map(({ file: { name }, index, bytes }) => [name, index, bytes])).toEqual([
    ['b', 2, chunkBytes - 1],
    ['b', 1, chunkBytes],
    ['b', 0, chunkBytes],
  ])
  expect(planCheck(states.slice(0, 1), clean).chunks).toHaveLength(2)
})

test('files that changed, or may not have reached the disk, are compared as a whole', () => {
  const states = [
    { file: file('old', 5, 10), isUnchanged: true },
    { file: file('new', 5, 60), isUnchanged: true },
    { file: file('changed', 5, 10), isUnchanged: false },
  ]
  const { whole, chunks } = planCheck(states, { ...clean, suspectAfterMs: 50 })
  expect(whole.map(({ name }) => name)).toEqual(['new', 'changed'])
  expect(new Set(chunks.map(({ file: { name } }) => name))).toEqual(new Set(['old']))
})
