import { expect, test } from 'bun:test'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { emitLowBalances } from './watch-events.ts'

test('a balance is reported each time it falls below the limit, and never twice for one fall', async () => {
  using books = openTestAccounts()
  const { stores } = books
  const { accountId } = books.account(100)
  const move = (amountNanoUsd: number) => {
    const kind = amountNanoUsd > 0 ? 'credit' : 'adjustment'
    stores.ledger.append({ accountId, kind, amountNanoUsd, actor: 'system' })
  }
  const found: (number | string)[] = []
  stores.events.onEvent((event) => {
    if (event.type === 'balance.low') found.push(event.account, event.balanceNanoUsd)
  })
  const look = () => emitLowBalances(stores, 50)

  move(-60) // before anybody looked
  await look()
  expect(found).toEqual([])
  move(40)
  move(-30) // 50: not below
  await look()
  expect(found).toEqual([])
  move(-1)
  move(-9) // further down
  await look()
  await look()
  expect(found).toEqual([accountId, 49])
  move(100)
  move(-120) // up and down between two looks
  await look()
  expect(found).toEqual([accountId, 49, accountId, 20])
})
