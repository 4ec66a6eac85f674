/**
 * Kills a server under load at random moments, repeatedly on one data folder, and checks after each start that nothing
 * acknowledged is lost, nothing is there twice, and nothing stays held.
 */
import { Database } from 'bun:sqlite'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkIntegrity } from '../src/billing/integrity.ts'
import { decimalToNano } from '../src/core/money.ts'
import { openTestAccounts } from '../src/testing/test-accounts.ts'
import { type Acknowledged, type Payer, putUnderLoad, type Serving, serve } from './kill-server/server-under-load.ts'
import { readFlags } from './shared/command-line.ts'

const manifest = `
id = "test/paid"
type = "chat"
engine = "fake"
[pricing]
input = 0.01
output = 0.03
unit = "1M_tokens"
`
const earsManifest = `
id = "test/ears"
type = "stt"
engine = "fake"
[pricing]
price = 0.01
unit = "minute"
[capabilities]
diarization = true
translation = true
`
const firstBalanceNanoUsd = 1_000_000_000
/**
 * Limits of the moment of a kill: at most `laterMs` after a random number of answers below this number. Some rounds
 * count top-ups instead, which the server confirms even while the engine loads.
 */
const killLimit = { answers: 40, topUps: 20, laterMs: 20 }
/** Share of the rounds that count top-ups. */
const topUpRoundShare = 0.25
/** Time limit for the answers of a round, after which the script fails. */
const roundLimitMs = 60_000

export interface KillReport {
  readonly rounds: number
  readonly answers: number
  readonly topUps: number
  /** Holds that the killed servers left, all of them released by the next. */
  readonly heldAtDeath: number
}

/** Runs the rounds. Throws at the first mistake. */
export async function killServer(rounds: number, random: () => number = Math.random): Promise<KillReport> {
  const dataDir = mkdtempSync(join(tmpdir(), 'inferd-kill-'))
  const path = join(dataDir, 'inferd.db')
  mkdirSync(join(dataDir, 'models.d'))
  writeFileSync(join(dataDir, 'models.d', 'paid.toml'), manifest)
  writeFileSync(join(dataDir, 'models.d', 'ears.toml'), earsManifest)
  const payer = makePayer(path)
  const acknowledged: Acknowledged = { answers: new Map(), topUps: [], askedTopUps: [] }
  let heldAtDeath = 0
  let server = await serve(dataDir)
  try {
    for (let round = 0; round < rounds; round++) {
      heldAtDeath += await killUnderLoad(server, { dataDir, payer, acknowledged, random })
      server = await serve(dataDir)
      checkBooks(path, payer, acknowledged)
    }
  } finally {
    server.process.kill('SIGKILL')
    await server.process.exited
    rmSync(dataDir, { recursive: true })
  }
  return { rounds, answers: acknowledged.answers.size, topUps: acknowledged.topUps.length, heldAtDeath }
}

function makePayer(path: string): Payer {
  using books = openTestAccounts(path, Date.now)
  return books.account(firstBalanceNanoUsd)
}

/** Returns the number of holds that the server left. */
async function killUnderLoad(
  { process: server, baseUrl }: Serving,
  run: { dataDir: string; payer: Payer; acknowledged: Acknowledged; random: () => number },
): Promise<number> {
  const { random, acknowledged } = run
  const countsTopUps = random() < topUpRoundShare
  const count = () => (countsTopUps ? acknowledged.topUps.length : acknowledged.answers.size)
  const target = count() + Math.floor(random() * (countsTopUps ? killLimit.topUps : killLimit.answers))
  const isReached = Promise.withResolvers<void>()
  const limit = setTimeout(
    () => isReached.reject(new Error(`the server acknowledged only ${count()} of ${target} requests`)),
    roundLimitMs,
  )
  void server.exited.then(() => isReached.reject(new Error('the server ended by itself')))
  let isOver = false
  const onEnd = () => count() >= target && isReached.resolve()
  const load = putUnderLoad({ ...run, baseUrl, isOver: () => isOver, onEnd })
  try {
    await isReached.promise
    await Bun.sleep(random() * killLimit.laterMs)
  } finally {
    clearTimeout(limit)
    isOver = true
    server.kill('SIGKILL')
    await load
  }
  await server.exited
  using left = new Database(join(run.dataDir, 'inferd.db'), { readonly: true })
  return left.query<{ count: number }, []>('SELECT count(*) AS count FROM holds').get()?.count ?? 0
}

function checkBooks(path: string, { accountId }: Payer, { answers, topUps, askedTopUps }: Acknowledged): void {
  using database = new Database(path, { readonly: true })
  const { problems, openHolds } = checkIntegrity(database)
  require(problems.length === 0, problems.join('\n'))
  require(openHolds === 0, `${openHolds} holds are left`)
  const rows = database
    .query<{ request_id: string; charged: number; amount: number }, [string]>(
      `SELECT usage.request_id, charged, ledger.amount FROM usage JOIN ledger ON ledger.request_id = usage.request_id
       WHERE usage.account_id = ?`,
    )
    .all(accountId)
  const charged = new Map(rows.map((row) => [row.request_id, row.charged]))
  require(charged.size === rows.length, 'a request was charged twice')
  for (const [requestId, cost] of answers) {
    const found = charged.get(requestId)
    require(found !== undefined, `the charge of ${requestId} is lost`)
    require(cost === undefined || decimalToNano(cost) === found, `${requestId} was told ${cost} and charged ${found}`)
  }
  const credits = database
    .query<{ memo: string }, []>("SELECT memo FROM ledger WHERE kind = 'credit' AND memo IS NOT NULL")
    .all()
    .map((row) => row.memo)
  const made = new Set(credits)
  require(made.size === credits.length, 'a top-up was made twice')
  for (const memo of topUps) require(made.has(memo), `${memo} is lost`)
  for (const memo of made) require(askedTopUps.includes(memo), `nobody asked for ${memo}`)
}

function require(isTrue: boolean, problem: string): void {
  if (!isTrue) throw new Error(problem)
}

if (import.meta.main) console.log(JSON.stringify(await killServer(readFlags({ rounds: 100 }).rounds)))
