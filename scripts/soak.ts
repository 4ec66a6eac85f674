/**
 * Runs minutes of mixed work on one server: every endpoint, streamed and whole, clients that disconnect, answers
 * without a limit. Exits with 1 if a request hangs, fails by the server's fault or stays held, or if the server's
 * memory grows.
 */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { checkIntegrity } from '../src/billing/integrity.ts'
import { RandomWords } from '../src/testing/gguf/random-words.ts'
import { openTestAccounts } from '../src/testing/test-accounts.ts'
import { readFlags, runScript } from './shared/command-line.ts'
import { startInferd } from './shared/inferd-server.ts'
import { residentMib } from './shared/process-usage.ts'
import { randomWork, type Work } from './soak/random-work.ts'

const usage = 'usage: bun run soak [--minutes 10] [--clients 16] [--seed 1] [--command ./inferd]'
const root = join(import.meta.dir, '..')

/** Time without any data after which a request counts as hanging. */
const hangMs = 120_000
const balanceNanoUsd = 100_000_000_000
/** Growth of memory between the end of the first third and the end that still counts as flat. */
const flatMib = 48

interface Tally {
  readonly outcomes: Map<string, number>
  readonly problems: string[]
}

async function main(): Promise<number> {
  const { minutes, clients, seed, command } = readFlags({
    minutes: 10,
    clients: 16,
    seed: 1,
    command: join(root, 'inferd'),
  })
  const words = new RandomWords(seed)
  /** Returns a number in [0, 1), which depends only on the seed. */
  const random = () => words.below(2 ** 24) / 2 ** 24
  const keys: string[] = []
  let database = ''
  const server = await startInferd(command.split(' '), ['--log-level', 'error'], async (data) => {
    database = join(data, 'inferd.db')
    using accounts = openTestAccounts(database, Date.now)
    // Makes several accounts, each with several clients.
    for (let account = 0; account < clients / 2; account++) keys.push(accounts.account(balanceNanoUsd).key)
  })
  try {
    const tally: Tally = { outcomes: new Map(), problems: [] }
    const endsAtMs = performance.now() + minutes * 60_000
    const memory: number[] = []
    const sampler = setInterval(() => memory.push(residentMib(server.pid)), 5_000)
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        const key = keys[client % keys.length] ?? ''
        while (performance.now() < endsAtMs) await perform(server.baseUrl, key, randomWork(random), tally)
      }),
    )
    clearInterval(sampler)
    // Requests of the last disconnected clients are settled a moment later.
    await untilNothingHeld(database)
    const { openHolds, problems } = checkBooks(database)
    const third = memory[Math.floor(memory.length / 3)] ?? 0
    const last = memory.at(-1) ?? 0
    const failures = [
      ...tally.problems,
      ...problems,
      ...(openHolds > 0 ? [`${openHolds} holds are left`] : []),
      ...(last - third > flatMib ? [`memory grew from ${third.toFixed(0)} to ${last.toFixed(0)} MiB`] : []),
    ]
    console.log(JSON.stringify({ minutes, clients, outcomes: Object.fromEntries([...tally.outcomes].sort()) }, null, 2))
    const sixths = memory.filter((_, index) => index % 6 === 0).map((mib) => mib.toFixed(0))
    console.log(`memory of the server in MiB, every 30 s: ${sixths.join(' ')}`)
    for (const failure of failures.slice(0, 20)) console.error(failure)
    return failures.length === 0 ? 0 : 1
  } finally {
    await server.stop()
  }
}

/** Sends one request. Reads its answer to the end, or disconnects if the work says so. */
async function perform(baseUrl: string, key: string, work: Work, tally: Tally): Promise<void> {
  const client = new AbortController()
  const hang = setTimeout(() => client.abort('hang'), hangMs)
  const leave =
    work.leavesAfterMs === undefined ? undefined : setTimeout(() => client.abort('left'), work.leavesAfterMs)
  let outcome: string
  try {
    const response = await fetch(`${baseUrl}${work.path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
      },
      body: JSON.stringify(work.body),
      signal: client.signal,
    })
    const text = await response.text()
    const isBroken = response.status >= 500 || /"type":"(server_error|api_error|overloaded_error)"/.test(text)
    outcome = String(response.status)
    if (isBroken) tally.problems.push(`${work.name}: ${response.status} ${text.slice(-300)}`)
  } catch (error) {
    outcome = client.signal.aborted ? String(client.signal.reason) : 'broken'
    if (outcome !== 'left') tally.problems.push(`${work.name}: ${outcome} ${String(error)}`)
  }
  clearTimeout(hang)
  clearTimeout(leave)
  const label = `${work.name}: ${outcome}`
  tally.outcomes.set(label, (tally.outcomes.get(label) ?? 0) + 1)
}

async function untilNothingHeld(path: string): Promise<void> {
  for (let attempt = 0; attempt < 50 && checkBooks(path).openHolds > 0; attempt++) await Bun.sleep(100)
}

function checkBooks(path: string): { openHolds: number; problems: readonly string[] } {
  using database = new Database(path, { readonly: true })
  return checkIntegrity(database)
}

runScript(usage, main)
