/**
 * One server of the metering benchmark: `metered` with money and a database file, or `free` without. Prints its address
 * and a key by kind: `limited` is that of an account with limits that refuse nothing.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freeTill } from '../../src/testing/free-till.ts'
import { startTestServer } from '../../src/testing/test-server.ts'

const pricing = { inputNanoUsd: 80_000_000, outputNanoUsd: 350_000_000, unit: '1M_tokens' } as const
/** Money for every request of the benchmark. */
const balanceNanoUsd = 1_000_000_000_000

const [kind = 'metered', parent = tmpdir(), hasLimits] = process.argv.slice(2)
// In the checkout, since many machines hold temporary files in memory, where commits would not wait for a disk.
const folder = mkdtempSync(join(parent, 'inferd-bench-'))
const server = startTestServer({
  databasePath: join(folder, 'inferd.db'),
  // One slot per client, so that waiting for a slot is not measured.
  parallel: 64,
  models: { 'bench/fake': { manifest: { pricing } } },
  ...(kind === 'free' ? { till: freeTill } : {}),
})
const keys: { limited?: string } = { [kind]: server.payer(balanceNanoUsd).key }
if (kind === 'metered' && hasLimits) {
  const { key, accountId, keyId } = server.payer(balanceNanoUsd)
  const { commits, limits } = server.stores
  const plenty = { requestsPerMinute: 1_000_000_000, tokensPerMinute: 1_000_000_000, parallel: 1_000_000 }
  await commits.run(() => {
    limits.set(accountId, { ...plenty, monthlyNanoUsd: balanceNanoUsd })
    limits.set(keyId, { ...plenty, dailyNanoUsd: balanceNanoUsd, models: ['bench/fake'] })
  })
  keys.limited = key
}
process.on('SIGTERM', async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
  process.exit(0)
})
console.log(JSON.stringify({ baseUrl: server.baseUrl, keys }))
