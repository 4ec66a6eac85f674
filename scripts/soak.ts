/**
 * Minutes of mixed work on one server: every endpoint, streamed and whole, clients that disconnect, answers without a
 * limit. Nothing may hang, fail on the server's side or stay held, and the server's memory must stay flat. Exits 1 otherwise.
 */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Integrity } from '../src/billing/integrity.ts'
import { openTestAccounts } from '../src/testing/test-accounts.ts'
import { startInferd } from './bench/inferd-server.ts'
import { residentMib } from './bench/process-usage.ts'
import { randomWork, type Work } from './soak/random-work.ts'

const usage = 'usage: bun run soak [--minutes 10] [--clients 16] [--seed 1] [--command ./inferd]'
const root = join(import.meta.dir, '..')

/** A request without any sign of life for this long hangs. */
const hangMs = 120_000
const balanceNanoUsd = 100_000_000_000
/** Growth of memory between the end of the first third and the end that counts as flat. */
const flatMib = 48

interface Tally {
  readonly outcomes: Map<string, number>
  readonly problems: string[]
}

async function main(): Promise<number> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ options: { minutes: text, clients: text, seed: text, command: text } })
  const minutes = Number(values.minutes ?? 10)
  const clients = Number(values.clients ?? 16)
  const random = seeded(Number(values.seed ?? 1))
  const keys: string[] = []
  let database = ''
  const command = (values.command ?? join(root, 'inferd')).split(' ')
  const server = await startInferd(command, ['--log-level', 'error'], async (data) => {
    database = join(data, 'inferd.db')
    using accounts = openTestAccounts(database, Date.now)
    // Several clients of one account, and several accounts.
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
    // What the last disconnects left is settled a moment after them.
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
    console.log(
      `memory of the server in MiB, every 30 s: ${everySixth(memory)
        .map((mib) => mib.toFixed(0))
        .join(' ')}`,
    )
    for (const failure of failures.slice(0, 20)) console.error(failure)
    return failures.length === 0 ? 0 : 1
  } finally {
    await server.stop()
  }
}

/** Sends one request and reads its answer to the end, or disconnects where the work says so. */
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
  return new Integrity({ database }).check()
}

function everySixth(values: readonly number[]): number[] {
  return values.filter((_, index) => index % 6 === 0)
}

/** Numbers in [0, 1) that the seed alone decides (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(String(error), '\n', usage)
    process.exit(2)
  },
)
