import { expect, test } from 'bun:test'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import type { ShippedRecord } from './shipped-record.ts'
import { Shipper } from './shipper.ts'
import { type Sink, SinkRefusal } from './sink.ts'

type Answer = 'ok' | 'hang' | Error
type Batch = readonly ShippedRecord[]

/** Starts a shipper whose receiver gives these answers: each batch its next one, `ok` to all later ones. */
function shipping(
  { stores }: TestAccounts,
  answers: readonly Answer[] | ((batch: Batch) => Answer) = [],
  written?: number,
) {
  const batches: Batch[] = []
  const taken: ShippedRecord[] = []
  const changes = new Set<() => void>()
  const lines: { readonly message: string; readonly fields: object }[] = []
  const change = () => {
    for (const wake of changes) wake()
  }
  const sink: Sink = {
    name: 'test',
    lastAuditId: async () => written,
    check: async () => undefined,
    send: async (records) => {
      const answer = typeof answers === 'function' ? answers(records) : (answers[batches.length] ?? 'ok')
      batches.push(records)
      if (answer === 'ok') taken.push(...records)
      change()
      if (answer === 'hang') await new Promise(() => undefined)
      if (answer instanceof Error) throw answer
      return 0
    },
  }
  const note = (fields: object, message: string) => void lines.push({ message, fields })
  const shipper = new Shipper({
    ...{ sink, audit: stores.audit, positions: stores.readPositions, commits: stores.commits, clock: Date.now },
    log: { info: note, warn: note },
  })
  const until = async (isSo: () => boolean) => {
    while (!isSo()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      changes.add(resolve)
      await promise
    }
  }
  return {
    ...{ shipper, sink, batches, taken, lines },
    logged: () => lines.map(({ message }) => message),
    batch: (count: number) => until(() => batches.length >= count),
    untilTaken: (id: number | string) => until(() => taken.some((record) => idOf(record) === id)),
    auditIds: () => batches.flat().map(auditId).filter(Boolean),
  }
}

const auditId = (record: ShippedRecord) => (record.kind === 'audit' ? record.row.id : 0)
const idOf = (record: ShippedRecord) => (record.kind === 'request' ? record.record.requestId : auditId(record))
const request = (requestId: string) =>
  ({ kind: 'request', record: { requestId, state: 'ended', arrivedAtMs: 0, durationMs: 1 } }) as const

function append({ stores }: TestAccounts, count = 1) {
  for (let row = 0; row < count; row++) stores.audit.append({ actor: 'system', action: 'test', details: {} })
}

test('rows of the audit log are sent in order, from the first start on, and by the next server from where it ended', async () => {
  using books = openTestAccounts()
  append(books, 3)
  const first = shipping(books)
  first.shipper.start()
  await books.stores.commits.run(() => undefined)
  await first.shipper.stop()
  expect(first.batches).toEqual([])
  append(books, 1_200)
  const second = shipping(books)
  second.shipper.start()
  await second.batch(3)
  await second.shipper.stop()
  append(books, 1)
  const third = shipping(books)
  third.shipper.start()
  await third.batch(1)
  await third.shipper.stop()
  const ids = [...second.auditIds(), ...third.auditIds()]
  expect(ids).toEqual(Array.from({ length: 1_201 }, (_, index) => index + 4))
})

test('rows that are already with the receiver are not sent again', async () => {
  using books = openTestAccounts()
  append(books, 3)
  books.stores.readPositions.set('test', 1)
  const { shipper, batch, auditIds } = shipping(books, [], 2)
  shipper.start()
  await batch(1)
  await shipper.stop()
  expect(auditIds()).toEqual([3])
})

test('a receiver with more rows than a restored log gets the new ones', async () => {
  using books = openTestAccounts()
  append(books, 3)
  const { shipper, batch, auditIds } = shipping(books, [], 900)
  shipper.start()
  shipper.put(request('req_1'))
  await batch(1)
  append(books, 1)
  await shipper.stop()
  expect(auditIds()).toEqual([4])
})

test('a receiver that fails gets the same rows again; one line says so, and one that it works', async () => {
  using books = openTestAccounts()
  books.stores.readPositions.set('test', 0)
  append(books, 2)
  const { shipper, batch, logged, batches } = shipping(books, [new Error('away')])
  shipper.start()
  await batch(1)
  await books.stores.commits.run(() => undefined)
  expect(shipper.state().failure?.reason).toBe('away')
  await batch(2)
  await shipper.stop()
  expect(batches.map((records) => records.map(auditId))).toEqual([
    [1, 2],
    [1, 2],
  ])
  expect(logged()).toEqual(['records not taken', 'records are taken again'])
})

const refusal = (status: number) => new SinkRefusal(`status ${status}`, { kind: status === 413 ? 'size' : 'records' })

test('a row or a request that is refused for good is dropped alone, counted and told; the others go', async () => {
  using books = openTestAccounts()
  books.stores.readPositions.set('test', 0)
  append(books, 700)
  const wrong: readonly (number | string)[] = [7, 333, 334, 'req_2']
  const isWrong = (record: ShippedRecord) => wrong.includes(idOf(record))
  const { shipper, taken, lines, untilTaken } = shipping(books, (batch) => (batch.some(isWrong) ? refusal(400) : 'ok'))
  for (let index = 0; index < 5; index++) shipper.put(request(`req_${index}`))
  shipper.start()
  await untilTaken('req_4')
  await shipper.stop()
  const rows = Array.from({ length: 700 }, (_, index) => index + 1)
  const all = [...rows, 'req_0', 'req_1', 'req_2', 'req_3', 'req_4']
  expect(taken.map(idOf)).toEqual(all.filter((id) => !wrong.includes(id)))
  expect(shipper.state()).toMatchObject({ sent: 701, dropped: 4, waiting: 0, failure: undefined })
  const told = { receiver: 'test', reason: 'status 400', keptBy: 'inferd audit export' }
  expect(lines).toEqual([
    { message: 'records dropped', fields: { ...told, count: 1, auditRows: '7-7' } },
    { message: 'records dropped', fields: { ...told, count: 3, auditRows: '333-334' } },
  ])
})

test('many wrong rows in a batch take no others with them', async () => {
  using books = openTestAccounts()
  books.stores.readPositions.set('test', 0)
  append(books, 500)
  const isWrong = (record: ShippedRecord) => auditId(record) % 20 === 0
  const { shipper, untilTaken } = shipping(books, (batch) => (batch.some(isWrong) ? refusal(400) : 'ok'))
  shipper.start()
  await untilTaken(499)
  await shipper.stop()
  expect(shipper.state()).toMatchObject({ sent: 475, dropped: 25 })
})

test('a batch that is too large arrives in smaller ones, and only a record that is too large alone is dropped', async () => {
  using books = openTestAccounts()
  books.stores.readPositions.set('test', 0)
  append(books, 500)
  const isTooLarge = (batch: Batch) => batch.length > 3 || batch.some((record) => auditId(record) === 99)
  const { shipper, taken, untilTaken } = shipping(books, (batch) => (isTooLarge(batch) ? refusal(413) : 'ok'))
  shipper.start()
  await untilTaken(500)
  await shipper.stop()
  expect(taken).toHaveLength(499)
  expect(shipper.state()).toMatchObject({ sent: 499, dropped: 1 })
})

test('a receiver that refuses all is asked few times and counts as failing, until it takes something', async () => {
  using books = openTestAccounts()
  let answer: Answer = refusal(422)
  const { shipper, batches, batch, untilTaken, logged } = shipping(books, () => answer)
  for (let index = 0; index < 500; index++) shipper.put(request(`req_${index}`))
  shipper.start()
  await batch(1)
  await books.stores.commits.run(() => undefined)
  expect(shipper.state()).toMatchObject({ sent: 0, dropped: 500, waiting: 0, failure: { reason: 'status 422' } })
  expect(batches.length).toBeLessThan(100)
  answer = 'ok'
  shipper.put(request('req_last'))
  await untilTaken('req_last')
  await shipper.stop()
  expect(shipper.state().failure).toBeUndefined()
  expect(logged()).toEqual(['records dropped', 'records not taken', 'records are taken again', 'records dropped'])
})

test('a failure in the middle of a batch repeats neither what was taken nor what was dropped', async () => {
  using books = openTestAccounts()
  books.stores.readPositions.set('test', 0)
  append(books, 4)
  const { shipper, untilTaken, batches } = shipping(books, [refusal(413), 'ok', new Error('away')])
  shipper.start()
  await untilTaken(4)
  await shipper.stop()
  expect(batches.map((records) => records.map(auditId))).toEqual([
    [1, 2, 3, 4],
    [1, 2],
    [3, 4],
    [3, 4],
  ])
  expect(shipper.state()).toMatchObject({ sent: 4, dropped: 0 })
})

test('a server ends although a receiver hangs, also while it is closed', async () => {
  using books = openTestAccounts()
  const { shipper, sink } = shipping(books, ['hang'])
  sink.close = () => new Promise(() => undefined)
  shipper.put(request('req_0'))
  shipper.start()
  await shipper.stop()
})

test('a receiver that hangs holds 10,000 records; later ones are dropped, and one line says so', async () => {
  using books = openTestAccounts()
  const { shipper, batch, logged } = shipping(books, ['hang'])
  shipper.put(request('req_0'))
  shipper.start()
  await batch(1)
  for (let index = 0; index < 10_009; index++) shipper.put(request(`req_${index}`))
  expect(shipper.state()).toMatchObject({ waiting: 10_000, dropped: 10, sent: 0 })
  expect(logged()).toEqual(['records dropped'])
})
