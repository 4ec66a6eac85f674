/**
 * Measures attacks by their effect on others. For each kind of attack, starts a new server, measures a quiet time, then
 * many attackers beside one paying client. Prints a table. Exits with 1 if a goal is missed. See docs/benchmarks.md.
 */
import { join } from 'node:path'
import { openTestAccounts, type TestAccounts } from '../src/testing/test-accounts.ts'
import { type Attack, attacks } from './attack/attacks.ts'
import { payers } from './attack/payers.ts'
import { type Sight, watch } from './attack/watch.ts'
import { readFlags, runScript } from './shared/command-line.ts'
import { startInferd } from './shared/inferd-server.ts'
import { describeMachine, readMachine } from './shared/machine.ts'
import { markdownTable } from './shared/markdown-table.ts'

const usage =
  'usage: bun run attack [--seconds 60] [--quiet-seconds 10] [--attackers 64] [--only TEXT] [--command ./inferd]'
const root = join(import.meta.dir, '..')

const goals = { healthP99Ms: 50, peakMib: 1024, payerSlowdown: 3, spoolMib: 4096 }
/** Slowdown of the payer below which it is the machine's own noise. */
const noiseMs = 50
const payerNanoUsd = 1_000_000_000_000

interface Options {
  readonly command: readonly string[]
  readonly attackers: number
  readonly seconds: number
  readonly quietSeconds: number
}

interface Row {
  readonly name: string
  readonly quiet: Sight
  readonly attacked: Sight
  readonly outcomes: string
}

const head = [
  'attack',
  'answers to attackers',
  'payer p50 / p99 ms, quiet',
  'payer p50 / p99 ms, attacked',
  'first output p99 ms, quiet and attacked',
  'health p99 / max ms',
  'peak MiB',
  'spool MiB',
  'missed',
]

async function main(): Promise<number> {
  const { only, command, ...load } = readFlags({
    ...{ seconds: 60, quietSeconds: 10, attackers: 64 },
    ...{ only: '', command: join(root, 'inferd') },
  })
  const options = { ...load, command: command.split(' ') }
  const chosen = Object.entries(attacks).filter(([name]) => name.includes(only))
  console.log([...describeMachine(await readMachine()), '', ...markdownTable(head, []).slice(0, 2)].join('\n'))
  let missed = 0
  for (const [name, attack] of chosen) {
    const row = await run(name, attack, options)
    const problems = problemsOf(row)
    missed += problems.length
    console.log(render(row, problems))
  }
  return missed === 0 ? 0 : 1
}

async function run(name: string, attack: Attack, options: Options): Promise<Row> {
  let payerKey = ''
  let attackerKeys: string[] = []
  let spoolFolder = ''
  const payer = payers[attack.payer ?? 'chat']
  const server = await startInferd(
    options.command,
    ['--log-level', 'error', '--preload', payer.preload],
    async (data) => {
      spoolFolder = join(data, 'spool')
      using accounts = openTestAccounts(join(data, 'inferd.db'), Date.now)
      payerKey = accounts.account(payerNanoUsd).key
      const { balanceNanoUsd, endedKeys, isOneAccount } = attack
      if (endedKeys !== undefined) {
        attackerKeys = signedIn(accounts, endedKeys, options.attackers)
        return
      }
      const shared = isOneAccount === true ? accounts.account(balanceNanoUsd ?? 0).key : undefined
      attackerKeys = Array.from({ length: options.attackers }, (_, index) =>
        balanceNanoUsd === undefined ? `sk-unknown-${index}` : (shared ?? accounts.account(balanceNanoUsd).key),
      )
    },
  )
  try {
    const { baseUrl, pid } = server
    const watched = { ask: payer.ask({ baseUrl, apiKey: payerKey }), baseUrl, pid, spoolFolder }
    await watch({ ...watched, durationMs: 2_000 })
    const quiet = await watch({ ...watched, durationMs: options.quietSeconds * 1000 })
    const durationMs = options.seconds * 1000
    const attackers = attackWith(name, new URL(baseUrl).port, durationMs, attackerKeys)
    const attacked = await watch({ ...watched, durationMs })
    return { name, quiet, attacked, outcomes: await attackers }
  } finally {
    await server.stop()
  }
}

/** Returns secrets of sessions of one account without money, which has this many revoked keys. */
function signedIn({ stores, database, account }: TestAccounts, endedKeys: number, sessions: number): string[] {
  const { accountId } = account(0)
  database.transaction(() => {
    for (let index = 0; index < endedKeys; index++) {
      stores.keys.revoke(stores.keys.create({ accountId, name: `key ${index}` }).id)
    }
  })()
  return Array.from({ length: sessions }, () => stores.sessions.begin(accountId))
}

/** Attackers run at a lower priority than the server and the measured client, since the processor is not the target. */
async function attackWith(name: string, port: string, durationMs: number, keys: readonly string[]): Promise<string> {
  const program = join(root, 'scripts/attack/attacker.ts')
  const child = Bun.spawn(
    ['nice', '-n', '10', process.execPath, program, name, port, String(durationMs), keys.join(',')],
    { stdout: 'pipe', stderr: 'inherit' },
  )
  const outcomes: Record<string, number> = JSON.parse(await child.stdout.text())
  return Object.entries(outcomes)
    .map(([outcome, count]) => `${count} x ${outcome}`)
    .join(', ')
}

function problemsOf({ quiet, attacked }: Row): string[] {
  const allowedMs = Math.max(goals.payerSlowdown * quiet.payerMs.p99, quiet.payerMs.p99 + noiseMs)
  return [
    ...(attacked.healthMs.p99 > goals.healthP99Ms ? ['health'] : []),
    ...(attacked.peakMib > goals.peakMib ? ['memory'] : []),
    ...(attacked.spoolMib > goals.spoolMib ? ['spool'] : []),
    ...(attacked.payerMs.p99 <= allowedMs ? [] : ['payer']),
    ...attacked.payerErrors,
  ]
}

function render({ name, quiet, attacked, outcomes }: Row, problems: readonly string[]): string {
  const pair = (...values: number[]) => values.map((value) => value.toFixed(0)).join(' / ')
  const cells = [
    name,
    outcomes,
    pair(quiet.payerMs.p50, quiet.payerMs.p99),
    pair(attacked.payerMs.p50, attacked.payerMs.p99),
    pair(quiet.firstTokenMs.p99, attacked.firstTokenMs.p99),
    pair(attacked.healthMs.p99, attacked.healthMs.max),
    attacked.peakMib.toFixed(0),
    attacked.spoolMib.toFixed(0),
    problems.join('; '),
  ]
  return `| ${cells.join(' | ')} |`
}

runScript(usage, main)
