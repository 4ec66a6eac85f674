/** A server with one paying account, which a test kills and starts again. */
import { Database } from 'bun:sqlite'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkIntegrity } from '../../src/billing/integrity.ts'
import { moneyOf, openTestAccounts } from '../../src/testing/test-accounts.ts'
import { serve } from './server-under-load.ts'

interface Setup {
  /** Manifests by the name of their file. */
  readonly manifests: Readonly<Record<string, string>>
  /** Content of `config.toml`. */
  readonly config?: string
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
export async function startKilledServer({ manifests, config = '' }: Setup): Promise<KilledServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'inferd-kill-'))
  const path = join(dataDir, 'inferd.db')
  mkdirSync(join(dataDir, 'models.d'))
  for (const [name, text] of Object.entries(manifests)) writeFileSync(join(dataDir, 'models.d', `${name}.toml`), text)
  writeFileSync(join(dataDir, 'config.toml'), config)
  const payer = makePayer(path)
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

function makePayer(path: string): { readonly accountId: string; readonly key: string } {
  using books = openTestAccounts(path, Date.now)
  return books.account(1_000_000_000)
}
