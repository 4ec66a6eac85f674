import { expect } from 'bun:test'
import type { Payer, TestServer } from './test-server.ts'

/** Sends 200 requests at once for an account with money for 50, and requires that exactly 50 succeed. */
export async function expectFiftyOf200(server: TestServer, payer: Payer, send: () => Promise<Response>): Promise<void> {
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const response = await send()
      await response.text()
      return response.status
    }),
  )
  // Each request is sent only once: a repeated one could succeed after money is released.
  expect(statuses.filter((status) => status === 200)).toHaveLength(50)
  expect(statuses.filter((status) => status === 402)).toHaveLength(150)
  expect(payer.money()).toEqual({ balance: 0, held: 0 })
  const rows = server.stores.ledger.list({ accountId: payer.accountId, limit: 1_000 })
  expect(rows.reduce((sum, row) => sum + row.amountNanoUsd, 0)).toBe(0)
  expect(rows.filter((row) => row.kind === 'usage')).toHaveLength(50)
}
