import { expect, test } from 'bun:test'
import type { Placement } from '../core/memory.ts'
import type { MemoryReadings } from '../machine/read-memory.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { ModelMemory } from './model-memory.ts'

const model = { modelId: 'test/a', files: 'v1', settings: { contextTokens: 4096 }, engine: 'llama' }
const MB = 1e6

function placement(key: string, needBytes: Placement['needBytes']): Placement {
  return { key, label: key, needBytes, load: {} }
}

function reading(hostFreeBytes: number, deviceFreeBytes: number): MemoryReadings {
  return {
    host: { totalBytes: 64_000 * MB, freeBytes: hostFreeBytes },
    gpu0: { totalBytes: 24_000 * MB, freeBytes: deviceFreeBytes },
  }
}

function open(books: ReturnType<typeof openTestAccounts>, now = reading(1, 1)): ModelMemory {
  return new ModelMemory({
    version: '1',
    store: books.stores.measuredMemory,
    write: (work) => work(),
    readMemory: async () => now,
  })
}

test('what a process was measured to use is told, and known at the next load', async () => {
  using books = openTestAccounts()
  const memory = open(books)
  const cpu = placement('cpu', { host: 1 * MB })
  expect(memory.recall(model, [cpu])).toEqual({ placements: [cpu] })
  const told: number[] = []
  const load = { placement: cpu, before: {}, loadMs: 1500 }
  await memory.loaded(model, process.pid, load, ({ host = 0 }) => told.push(host))
  memory.ended('test/a')
  expect(told[0]).toBeGreaterThan(MB)
  const { placements, loadMs } = open(books).recall(model, [cpu, placement('gpu', { gpu0: 1 })])
  expect(placements[0]?.needBytes.host).toBeGreaterThanOrEqual(told[0] ?? 0)
  expect(loadMs).toBe(1500)
  // Other files: nothing but what its engine had beyond its estimate.
  expect(memory.recall({ ...model, files: 'v2' }, [cpu]).loadMs).toBeUndefined()
})

test('what a load took of a device is the drop of its free memory', async () => {
  using books = openTestAccounts()
  const memory = open(books, reading(5_000 * MB, 14_000 * MB))
  const gpu = placement('gpu0', { gpu0: 9_000 * MB, host: 1 * MB })
  const told: (number | undefined)[] = []
  const load = { placement: gpu, before: reading(6_000 * MB, 24_000 * MB), loadMs: 10 }
  await memory.loaded(model, process.pid, load, ({ gpu0 }) => told.push(gpu0))
  memory.ended('test/a')
  expect(told).toEqual([10_000 * MB])
  expect(memory.recall(model, [gpu]).placements[0]?.needBytes.gpu0).toBe(10_000 * MB)
})

test('a process that ends while devices are read is not measured', async () => {
  using books = openTestAccounts()
  const memory = open(books)
  const gpu = placement('gpu0', { gpu0: 1 })
  const told: unknown[] = []
  const loaded = memory.loaded(model, process.pid, { placement: gpu, before: {}, loadMs: 1 }, (used) => told.push(used))
  memory.ended('test/a')
  await loaded
  expect(told).toEqual([])
})
