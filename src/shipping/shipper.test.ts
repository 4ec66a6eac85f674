import { expect, test } from 'bun:test'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import type { ShippedRecord } from './shipped-record.ts'
import { Shipper } from './shipper.ts'
import { type Sink, SinkRefusal } from './sink.ts'

type Answer = 'ok' | 'hang' | Error

/** Starts a shipper whose receiver gives each batch the next of these answers, `ok` to all later ones. */
function shipping({ stores }: TestAccounts, answers: readonly Answer[] = [], written?: number) {
  const batches: (readonly ShippedRecord[])[] = []
  const changes = new Set<() => void>()
  const logged: string[] = []
  const sink: Sink = {
    name: 'test',
    lastAuditId: async () => written,
    check: async () => undefined,
    send: async (records) => {
      const answer = answers[batches.length] ?? 'ok'
      batches.push(records)
      for (const change of changes) change()
      if (answer === 'hang') await new Promise(() => undefined)
      if (answer instanceof Error) throw answer
      return 0
    },
  }
  const note = (_: object, message: string) => void logged.push(message)
  const shipper = new Shipper({
    ...{ sink, audit: stores.audit, positions: stores.readPositions, commits: stores.commits, clock: Date.now },
    log: { info: note, warn: note },
  })
  const batch = async (count: number) => {
    while (batches.length < count) {
      const { promise, resolve } = Promise.withResolvers<void>()
      changes.add(resolve)
      await promise
    }
  }
  return { shipper, sink, batches, logged, batch, auditIds: () => batches.flat().map(auditId).filter(Boolean) }
}

const auditId = (record: ShippedRecord) => (record.kind === 'audit' ? record.row.id : 0)
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
  expect(logged).toEqual(['records not taken', 'records are taken again'])
})

test('requests that a receiver would refuse again are dropped and counted; rows of the audit log never', async () => {
  using books = openTestAccounts()
  const { shipper, batch, batches } = shipping(books, [new SinkRefusal('status 400', { isFinal: true })])
  shipper.put(request('req_1'))
  shipper.start()
  await batch(1)
  shipper.put(request('req_2'))
  await shipper.stop()
  expect(batches.flat()).toEqual([request('req_1'), request('req_2')])
  expect(shipper.state()).toMatchObject({ sent: 1, dropped: 1, waiting: 0, failure: undefined })

  books.stores.readPositions.set('test', 0)
  append(books)
  const other = shipping(books, [new SinkRefusal('status 400', { isFinal: true })])
  other.shipper.start()
  await other.batch(2)
  await other.shipper.stop()
  expect(other.auditIds()).toEqual([1, 1])
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
  expect(logged).toEqual(['records dropped'])
})
