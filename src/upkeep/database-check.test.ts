import { expect, test } from 'bun:test'
import type { IntegrityReport } from '../billing/integrity.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { DatabaseCheck } from './database-check.ts'
import { checkFindings } from './doctor/books-check.ts'

const context = {
  isServerRunning: true,
  config: { data: '/nowhere', publicUrl: undefined, tls: 'off', trustedProxies: [] },
} as const

/** Returns a check whose reads end when the test says so. */
function checked() {
  using books = openTestAccounts()
  const report = books.stores.checkIntegrity()
  const reads: PromiseWithResolvers<IntegrityReport>[] = []
  const clock = { nowMs: 0 }
  const check = new DatabaseCheck({
    read: () => {
      const read = Promise.withResolvers<IntegrityReport>()
      reads.push(read)
      return read.promise
    },
    clock: () => clock.nowMs,
  })
  const findings = async (waitMs: number) => checkFindings(await check.state(waitMs), context)
  return { check, report, reads, clock, findings }
}

test('a check that takes longer than the doctor waits is unfinished, neither well nor broken', async () => {
  const { reads, findings } = checked()
  const [finding, ...others] = await findings(1)
  expect(others).toEqual([])
  expect(finding).toMatchObject({ verdict: 'unknown', text: expect.stringContaining('is not finished') })
  expect(reads).toHaveLength(1)
})

test('it goes on, shared by all who ask, and its findings are told to those who look within ten minutes', async () => {
  const { check, report, reads, clock, findings } = checked()
  await findings(1)
  await findings(1)
  const asked = check.report()
  expect(reads).toHaveLength(1)
  const damaged = { ...report, problems: ['the file is damaged: page 7'] }
  reads[0]?.resolve(damaged)
  expect(await asked).toBe(damaged)
  clock.nowMs += 9 * 60_000
  expect(await findings(1)).toContainEqual({ verdict: 'bad', text: 'the file is damaged: page 7' })
  expect(reads).toHaveLength(1)
  clock.nowMs += 2 * 60_000
  await findings(1)
  expect(reads).toHaveLength(2)
})

test('a check that ends in time is made anew each time', async () => {
  const { report, reads, findings } = checked()
  for (const count of [1, 2]) {
    const found = findings(60_000)
    reads[count - 1]?.resolve(report)
    expect((await found).map(({ verdict }) => verdict)).toEqual(['ok'])
    expect(reads).toHaveLength(count)
  }
})

test('a database that cannot be read fails for all who wait, and is read again by the next one', async () => {
  const { reads, findings } = checked()
  await findings(1)
  const waiting = findings(60_000).catch(String)
  reads[0]?.reject(new Error('disk I/O error'))
  expect(await waiting).toContain('disk I/O error')
  await findings(1)
  expect(reads).toHaveLength(2)
})
