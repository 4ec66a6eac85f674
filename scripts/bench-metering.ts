/** Measures requests with and without accounts and money, over HTTP, interleaved; see docs/benchmarks.md. */
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { textParts } from '../src/testing/text-parts.ts'
import { ask, pacedFor, plain } from './bench/metering-load.ts'
import { readCounts, readFlags, runScript } from './shared/command-line.ts'
import { describeMachine, readMachine } from './shared/machine.ts'
import { markdownTable } from './shared/markdown-table.ts'
import { cpuSeconds, threadSeconds } from './shared/process-usage.ts'
import { median, percentile } from './shared/statistics.ts'

const usage =
  'usage: bun run bench:metering [--rounds 7] [--requests 500] [--levels 1,8,32] [--clients 64] [--limits] [--before CHECKOUT,CHECKOUT]'
const root = join(import.meta.dir, '..')
const addedGoalMs = 0.3
const rateGoal = 2_000
/**
 * `limited`: an account of the metered server whose account and key have limits that refuse nothing; measured with
 * `--limits`. Of two processes that do the same, one often takes 5 % more time, so that both are in one.
 */
const allKinds = ['free', 'metered', 'limited'] as const
type Kind = (typeof allKinds)[number]
/** Least rate with limits as a part of the rate without */
const limitedGoal = 0.97

interface Server extends AsyncDisposable {
  readonly pid: number
  post(body: string): Promise<void>
}

interface Round {
  /** Latencies of paced answers without the pace, by name of the load. */
  readonly latenciesMs: Readonly<Record<string, readonly number[]>>
  readonly requestsPerSecond: number
  readonly requestsPerCpuSecond: number
}

/** One checkout: its servers without and with money, and their figures, measured in turns. */
interface Subject {
  readonly name: string
  readonly servers: ReadonlyMap<Kind, Server>
  readonly rounds: Readonly<Record<Kind, Round[]>>
}

interface Plan {
  readonly requests: number
  readonly levels: readonly number[]
  readonly clients: number
}

async function main(): Promise<number> {
  const { rounds, before, levels, limits, ...flags } = readFlags({
    ...{ rounds: 7, requests: 500, levels: '1,8,32', clients: 64, before: '', limits: false },
  })
  const plan = { ...flags, levels: readCounts('levels', levels) }
  await using stack = new AsyncDisposableStack()
  const checkouts = [...before.split(',').filter((path) => path !== ''), root]
  const subjects: Subject[] = []
  for (const checkout of checkouts) {
    const servers = new Map<Kind, Server>()
    for (const kind of ['free', 'metered'] as const) {
      for (const [each, server] of await startServer(kind, checkout, limits)) servers.set(each, stack.use(server))
    }
    const name = checkout === root ? 'now' : basename(checkout)
    subjects.push({ name, servers, rounds: { free: [], metered: [], limited: [] } })
  }
  // The first round warms them up.
  for (let round = 0; round <= rounds; round++) {
    for (const { servers, rounds } of subjects) {
      for (const [kind, server] of servers) {
        const result = await measure(server, plan)
        if (round > 0) rounds[kind].push(result)
      }
    }
  }
  console.log(
    [...describeMachine(await readMachine()), '', ...latencyTable(subjects), ...rateTable(subjects, plan)].join('\n'),
  )
  const now = subjects.at(-1) as Subject // the root is always there
  const isFast = verdict(now, plan)
  return (limits ? await isLimitedFast(now) : true) && isFast ? 0 : 1
}

/** Starts a process, and returns what it serves by kind. */
async function startServer(kind: Kind, checkout: string, limits: boolean): Promise<[Kind, Server][]> {
  const folder = join(root, 'build')
  mkdirSync(folder, { recursive: true })
  const child = Bun.spawn(
    [process.execPath, join(checkout, 'scripts/bench/metering-server.ts'), kind, folder, ...(limits ? ['limits'] : [])],
    {
      stdout: 'pipe',
      stderr: 'inherit',
    },
  )
  const { value: line = '' } = await textParts(child.stdout).next()
  const { baseUrl, keys } = JSON.parse(line) as { baseUrl: string; keys: Readonly<Record<Kind, string>> }
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
  }
  const post = async (key: string, body: string) => {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    })
    const answer = await response.text()
    if (response.status !== 200) throw new Error(answer)
  }
  return allKinds
    .filter((kind) => keys[kind] !== undefined)
    .map((kind) => [kind, { pid: child.pid, post: (body) => post(keys[kind], body), [Symbol.asyncDispose]: stop }])
}

function loadName(clients: number, isStream: boolean): string {
  return `${clients} at once, ${isStream ? 'streamed' : 'whole'}`
}

async function measure(server: Server, { requests, levels, clients }: Plan): Promise<Round> {
  const latenciesMs: Record<string, readonly number[]> = {}
  for (const level of levels) {
    for (const isStream of [true, false]) {
      const result = await ask(server.post, pacedFor(level, { isStream }), { requests, clients: level })
      latenciesMs[loadName(level, isStream)] = result.latenciesMs
    }
  }
  const startCpu = cpuSeconds(server.pid)
  const { seconds } = await ask(server.post, plain, { requests: requests * 2, clients })
  return {
    latenciesMs,
    requestsPerSecond: (requests * 2) / seconds,
    requestsPerCpuSecond: (requests * 2) / (cpuSeconds(server.pid) - startCpu),
  }
}

/** Returns how much money adds to a percentile of the latency, as the median over the rounds. */
function addedMs({ rounds }: Subject, load: string, share: number): number {
  const of = (round: Round | undefined) => percentile(round?.latenciesMs[load] ?? [], share)
  return median(rounds.metered.map((round, index) => of(round) - of(rounds.free[index])))
}

function latencyTable(subjects: readonly Subject[]): string[] {
  const loads = Object.keys(subjects[0]?.rounds.free[0]?.latenciesMs ?? {})
  const head = ['added by money, ms', ...subjects.flatMap(({ name }) => [`p50 ${name}`, `p90 ${name}`])]
  const rows = loads.map((load) => [
    load,
    ...subjects.flatMap((subject) => [0.5, 0.9].map((share) => addedMs(subject, load, share).toFixed(3))),
  ])
  const free = loads.map((load) => [
    `without money: ${load}`,
    ...subjects.flatMap(({ rounds }) =>
      [0.5, 0.9].map((share) =>
        median(rounds.free.map((round) => percentile(round.latenciesMs[load] ?? [], share))).toFixed(3),
      ),
    ),
  ])
  return markdownTable(head, [...rows, ...free])
}

function rateTable(subjects: readonly Subject[], { clients }: Plan): string[] {
  const head = ['server', `requests/s, ${clients} clients`, 'requests per CPU second of the server']
  const rows = subjects.flatMap(({ name, rounds, servers }) =>
    [...servers.keys()].map((kind) => [
      `${kind}, ${name}`,
      ...(['requestsPerSecond', 'requestsPerCpuSecond'] as const).map((rate) =>
        median(rounds[kind].map((round) => round[rate])).toFixed(0),
      ),
    ]),
  )
  return markdownTable(head, rows)
}

/** Returns whether all goals without limits are met. */
function verdict(subject: Subject, { levels }: Plan): boolean {
  const most = Math.max(...levels)
  const added = [true, false].map((isStream) => addedMs(subject, loadName(most, isStream), 0.5))
  const rate = median(subject.rounds.metered.map(({ requestsPerCpuSecond }) => requestsPerCpuSecond))
  const isTooMuch = added.some((ms) => ms > addedGoalMs)
  if (isTooMuch) console.error(`misses the goal: at most ${addedGoalMs} ms (p50) added to ${most} requests at once`)
  if (rate < rateGoal) console.error(`misses the goal of ${rateGoal} requests a second on one core`)
  return !isTooMuch && rate >= rateGoal
}

/** Blocks of requests by which an account with limits is compared with one without */
const pairs = 250
const blockRequests = 96

/**
 * Measures an account with limits against one without, in blocks in turn: two processes, and even two minutes of one,
 * differ by more than the limits cost. Returns whether the goal is met.
 */
async function isLimitedFast({ servers }: Subject): Promise<boolean> {
  const costs: Record<'metered' | 'limited', number[]> = { metered: [], limited: [] }
  for (let pair = 0; pair < pairs; pair++) {
    const kinds = ['metered', 'limited'] as const
    for (const kind of pair % 2 === 0 ? kinds : kinds.toReversed()) {
      const server = servers.get(kind) as Server // both were started
      const start = threadSeconds(server.pid)
      await ask(server.post, plain, { requests: blockRequests, clients: 32 })
      costs[kind].push(((threadSeconds(server.pid) - start) / blockRequests) * 1e6)
    }
  }
  const added = median(costs.limited.map((cost, index) => cost - (costs.metered[index] ?? Number.NaN)))
  const without = median(costs.metered)
  const share = without / (without + added)
  console.log(
    `\nlimits add ${added.toFixed(0)} us of CPU time to ${without.toFixed(0)} us: ${share.toFixed(3)} of the rate`,
  )
  if (share < limitedGoal) console.error(`misses the goal: at least ${limitedGoal} of the rate without limits`)
  return share >= limitedGoal
}

runScript(usage, main)
