import { expect, test } from 'bun:test'
import type { MemoryBytes, Placement } from '../core/memory.ts'
import type { MemoryReadings } from '../machine/read-memory.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { type LoadedAs, ModelMemory } from './model-memory.ts'

const gigabyte = 1e9
const model: LoadedAs = { modelId: 'test/model', files: 'v1', settings: { contextTokens: 4096 }, engine: 'llama' }
const placement: Placement = { key: 'gpu0', label: 'gpu0', needBytes: { gpu0: 8 * gigabyte, host: 1 }, load: {} }

/** Returns readings of a machine whose GPU has this much free memory. */
function readings(freeBytes: number, hardware = 'NVIDIA H100, driver 570'): MemoryReadings {
  return { host: 'unknown', gpu0: { totalBytes: 80 * gigabyte, freeBytes, hardware } }
}

function open(books: ReturnType<typeof openTestAccounts>, version = '1') {
  const machine = { now: readings(70 * gigabyte) }
  const memory = new ModelMemory({
    version,
    store: books.stores.measuredMemory,
    dryRuns: books.stores.dryRuns,
    stepCurves: books.stores.stepCurves,
    write: (work) => work(),
    readMemory: async () => machine.now,
  })
  return { memory, machine }
}

/** Loads the model in this process, and takes this much of the GPU. */
async function load({ memory, machine }: ReturnType<typeof open>, takenBytes: number): Promise<MemoryBytes[]> {
  const told: MemoryBytes[] = []
  const before = await memory.read()
  machine.now = readings(70 * gigabyte - takenBytes)
  await memory.loaded(model, process.pid, { placement, before, loadMs: 3000 }, (measured) => told.push(measured))
  return told
}

test('what a load took of a device is told, and reserved the next time', async () => {
  using books = openTestAccounts()
  const first = open(books)
  const [measured] = await load(first, 9 * gigabyte)
  expect(measured).toEqual({ gpu0: 9 * gigabyte, host: expect.any(Number) })
  first.memory.ended(model.modelId)
  const second = open(books)
  await second.memory.read()
  const { placements, loadMs } = second.memory.recall(model, [placement])
  expect(loadMs).toBe(3000)
  expect(placements[0]?.needBytes.gpu0).toBe(9 * gigabyte)
  expect(placements[0]?.needBytes.host).toBeGreaterThan(placement.needBytes.host ?? 0)
})

test('a model that was never loaded needs what is known of its backend beside its estimate', async () => {
  using books = openTestAccounts()
  const used = open(books)
  await load(used, 9 * gigabyte)
  const other = { ...model, modelId: 'test/other' }
  const [known] = used.memory.recall(other, [placement]).placements
  expect(known?.needBytes.gpu0).toBe(9 * gigabyte)
  expect(used.memory.recall(other, [placement]).loadMs).toBeUndefined()
  used.memory.ended(model.modelId)
})

test.each([
  ['driver', '1', 'NVIDIA H100, driver 580'],
  ['version of the program', '2', undefined],
])('another %s starts anew', async (_, version, hardware) => {
  using books = openTestAccounts()
  const first = open(books)
  await load(first, 9 * gigabyte)
  first.memory.ended(model.modelId)
  const { memory, machine } = open(books, version)
  machine.now = readings(70 * gigabyte, hardware)
  await memory.read()
  expect(memory.recall(model, [placement]).placements).toEqual([placement])
})

test('a model that ends while its memory is read is not measured', async () => {
  using books = openTestAccounts()
  const { memory } = open(books)
  const told: MemoryBytes[] = []
  const before = await memory.read()
  const load = { placement, before, loadMs: 3000 }
  const loading = memory.loaded(model, process.pid, load, (measured) => told.push(measured))
  memory.ended(model.modelId)
  await loading
  expect(told).toEqual([])
})
