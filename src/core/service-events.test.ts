import { expect, test } from 'bun:test'
import { eventData, type ServiceEvent, ServiceEventSource } from './service-events.ts'

test('an event leaves with names in snake case, exact amounts and readable times', () => {
  const low: ServiceEvent = {
    type: 'balance.low',
    account: 'acc_1',
    balanceNanoUsd: 1_234_500_001,
    limitNanoUsd: 2_000_000_000,
  }
  expect(eventData(low)).toEqual({ account: 'acc_1', balance_usd: '1.234500001', limit_usd: '2' })
  expect(eventData({ type: 'certificate.expiring', host: 'box.example', expiresMs: 0 })).toEqual({
    host: 'box.example',
    expires: '1970-01-01T00:00:00.000Z',
  })
})

test('a field that is no field of the event does not leave', () => {
  const event = { type: 'model.failed', model: 'a/b', code: 'bad-model', email: 'ada@example.org' } as const
  expect(eventData(event)).toEqual({ model: 'a/b', code: 'bad-model' })
})

test('every listener gets every event', () => {
  const source = new ServiceEventSource()
  const heard: string[] = []
  source.onEvent(({ type }) => heard.push(`first ${type}`))
  source.onEvent(({ type }) => heard.push(`second ${type}`))
  source.emit({ type: 'backup.failed', failedMs: 0 })
  expect(heard).toEqual(['first backup.failed', 'second backup.failed'])
})
