/** A server with one paying account, which a test kills and starts again. */
import { Database } from 'bun:sqlite'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkIntegrity } from '../../src/billing/integrity.ts'
import type { Limits } from '../../src/billing/limits.ts'
import { moneyOf, openTestAccounts } from '../../src/testing/test-accounts.ts'
import { serve } from './server-under-load.ts'

/** Returns the manifest of the model `test/paid`, whose tokens cost 1 USD a million and whose answers a test scripts. */
export const paidManifest = (type: 'chat' | 'vision') => `
id = "test/paid"
type = "${type}"
engine = "fake"
[pricing]
input = 1
output = 1
unit = "1M_tokens"
`

interface Setup {
  /** Manifests by the name of their file. */
  readonly manifests: Readonly<Record<string, string>>
  /** Content of `config.toml`. */
  readonly config?: string
  /** Limits of the account or of its key. */
  readonly limits?: Limits & { readonly by: 'account' | 'key' }
}

export interface KilledServer extends AsyncDisposable {
  /** Id of its process. */
  pid(): number
  /** Sends a request below `/v1` with the account's key. */
  ask(path: string, body: object): Promise<Response>
  /** Returns the account's nano-USD. Throws if the books do not add up. */
  money(): { balance: number; held: number }
  /** Returns the names of the files in the spool. */
  spooled(): string[]
  /** Resolves when the process is gone. */
  kill(): Promise<void>
  /** Starts the next server of the same data folder. */
  restart(): Promise<void>
}

/** Starts a server whose account has 1 USD. */
export async function startKilledServer({ manifests, config = '', limits }: Setup): Promise<KilledServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'inferd-kill-'))
  const path = join(dataDir, 'inferd.db')
  mkdirSync(join(dataDir, 'models.d'))
  for (const [name, text] of Object.entries(manifests)) writeFileSync(join(dataDir, 'models.d', `${name}.toml`), text)
  writeFileSync(join(dataDir, 'config.toml'), config)
  const payer = makePayer(path, limits)
  let server = await serve(dataDir)

  const kill = async () => {
    server.process.kill('SIGKILL')
    await server.process.exited
  }
  return {
    pid: () => server.process.pid,
    ask: (endpoint, body) =>
      fetch(`${server.baseUrl}/${endpoint}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    money: () => {
      using database = new Database(path, { readonly: true })
      const { problems, openHolds } = checkIntegrity(database)
      const money = moneyOf(database, payer.accountId)
      if (problems.length > 0) throw new Error(`the books do not add up: ${problems.join('; ')}`)
      if (money.held === 0 && openHolds > 0) throw new Error(`${openHolds} holds of nothing are open`)
      return money
    },
    spooled: () => readdirSync(join(dataDir, 'spool')),
    kill,
    restart: async () => {
      server = await serve(dataDir)
    },
    [Symbol.asyncDispose]: async () => {
      await kill()
      rmSync(dataDir, { recursive: true })
    },
  }
}

function makePayer(path: string, limits: Setup['limits']): { readonly accountId: string; readonly key: string } {
  using books = openTestAccounts(path, Date.now)
  const payer = books.account(1_000_000_000)
  if (limits !== undefined) books.stores.limits.set(limits.by === 'key' ? payer.keyId : payer.accountId, limits)
  return payer
}
