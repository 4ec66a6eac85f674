import { expect, test } from 'bun:test'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { isWithin, type Limits, parseNetwork, strictest } from './limits.ts'

test('of two limits the stricter one binds, and only what both lists have is allowed', () => {
  const a: Limits = { dailyNanoUsd: 5, parallel: 2, models: ['a/b', 'a/c'], networks: ['10.0.0.0/8', '192.168.1.7'] }
  const b: Limits = { dailyNanoUsd: 7, requestsPerMinute: 3, models: ['a/c', 'a/d'], networks: ['10.1.0.0/16', '::/0'] }
  const both = { dailyNanoUsd: 5, parallel: 2, requestsPerMinute: 3, models: ['a/c'], networks: ['10.1.0.0/16'] }
  expect(strictest(a, b)).toEqual(both)
  expect(strictest(b, a)).toEqual(both)
  expect(strictest(a, {})).toEqual(a)
  expect(strictest({ models: ['a/b'] }, { models: ['a/c'] })).toEqual({ models: [] })
})

test.each([
  ['10.1.2.3', ['10.1.0.0/16'], true],
  ['10.2.2.3', ['10.1.0.0/16'], false],
  ['::ffff:10.1.2.3', ['10.1.2.3'], true],
  ['10.1.2.3', ['::ffff:10.1.0.0/112'], true],
  ['10.2.2.3', ['::ffff:10.1.0.0/112'], false],
  ['2001:db8::7', ['2001:db8::/32'], true],
  ['fe80::1', ['10.1.0.0/16', 'fe80::/10'], true],
  ['unknown', ['0.0.0.0/0', '::/0'], false],
  ['10.1.2.3', [], false],
])('%s lies in %p: %p', (address, networks, isInside) => {
  expect(isWithin(address, networks)).toBe(isInside)
})

test.each(['10', '10.1/16', '010.1.1.1', '0x7f.1', '10.1.0.0/33', '::/129', '10.0.0.0/8/8', ''])(
  '%p is no network',
  (text) => {
    expect(parseNetwork(text)).toBeUndefined()
  },
)

test('limits of all sources bind, and each source changes its own alone', async () => {
  using books = openTestAccounts()
  const { limits, commits } = books.stores
  expect(limits.of('acc_1')).toEqual({})
  await commits.run(() => limits.set('acc_1', { monthlyNanoUsd: 9, models: ['a/b'] }))
  await commits.run(() => limits.set('acc_1', { monthlyNanoUsd: 4, parallel: 1 }, 'groups'))
  expect(limits.of('acc_1')).toEqual({ monthlyNanoUsd: 4, models: ['a/b'], parallel: 1 })
  await commits.run(() => limits.set('acc_1', {}, 'groups'))
  expect(limits.of('acc_1')).toEqual({ monthlyNanoUsd: 9, models: ['a/b'] })
  expect(limits.bySource('acc_1')).toEqual({ operator: { monthlyNanoUsd: 9, models: ['a/b'] } })
})

test('limits whose transaction was undone never bind', async () => {
  using books = openTestAccounts()
  const { limits, commits } = books.stores
  const set = commits.run(() => {
    limits.set('acc_1', { parallel: 1 })
    expect(limits.of('acc_1')).toEqual({ parallel: 1 })
    throw new Error('no')
  })
  expect(await set.catch(String)).toContain('no')
  expect(limits.of('acc_1')).toEqual({})
})
