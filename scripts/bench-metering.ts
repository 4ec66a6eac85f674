/** Measures a request with and without accounts and money, over HTTP, interleaved; see docs/benchmarks.md. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { textParts } from '../src/testing/text-parts.ts'
import { ask, paced, plain } from './bench/metering-load.ts'
import { readFlags, runScript } from './shared/command-line.ts'
import { describeMachine, readMachine } from './shared/machine.ts'
import { markdownTable } from './shared/markdown-table.ts'
import { cpuSeconds } from './shared/process-usage.ts'
import { median, percentile } from './shared/statistics.ts'

const usage =
  'usage: bun run bench:metering [--rounds 7] [--requests 500] [--together 32] [--clients 64] [--before CHECKOUT]'
const root = join(import.meta.dir, '..')
const addedGoalMs = 0.3
const rateGoal = 2_000

interface Server extends AsyncDisposable {
  readonly pid: number
  post(body: string): Promise<void>
}

interface Round {
  /** Latencies of requests that are sent one after the other. */
  readonly aloneMs: readonly number[]
  /** Latencies without the pace, of paced answers, with as many at once as `--together` says. */
  readonly togetherMs: readonly number[]
  readonly requestsPerSecond: number
  readonly requestsPerCpuSecond: number
}

type Load = Readonly<Record<'requests' | 'together' | 'clients', number>>

async function main(): Promise<number> {
  const { rounds, before, ...load } = readFlags({ rounds: 7, requests: 500, together: 32, clients: 64, before: '' })
  await using free = await startServer('free')
  await using metered = await startServer('metered')
  await using older = before === '' ? undefined : await startServer('metered', before)
  const servers = { free, metered, ...(older && { 'metered, before': older }) }
  const results: Record<string, Round[]> = {}
  // The first round warms them up.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, server] of Object.entries(servers)) {
      const result = await measure(server, load)
      results[name] ??= []
      if (round > 0) results[name].push(result)
    }
  }
  console.log([...describeMachine(await readMachine()), '', ...resultTable(results, load)].join('\n'))
  const [withMoney, without] = [results.metered ?? [], results.free ?? []]
  const addedMs = typical(withMoney, 'togetherMs') - typical(without, 'togetherMs')
  const rate = median(withMoney.map(({ requestsPerCpuSecond }) => requestsPerCpuSecond))
  console.log(`Metering adds ${addedMs.toFixed(3)} ms (p50) to each of ${load.together} requests at once.`)
  if (addedMs > addedGoalMs) console.error(`misses the goal of ${addedGoalMs} ms`)
  if (rate < rateGoal) console.error(`misses the goal of ${rateGoal} requests a second on one core`)
  return addedMs > addedGoalMs || rate < rateGoal ? 1 : 0
}

async function startServer(kind: 'free' | 'metered', checkout = root): Promise<Server> {
  const folder = join(root, 'build')
  mkdirSync(folder, { recursive: true })
  const child = Bun.spawn([process.execPath, join(checkout, 'scripts/bench/metering-server.ts'), kind, folder], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value: line = '' } = await textParts(child.stdout).next()
  const { baseUrl, key } = JSON.parse(line)
  return {
    pid: child.pid,
    post: async (body) => {
      const response = await fetch(`${baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
      })
      const answer = await response.text()
      if (response.status !== 200) throw new Error(answer)
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

async function measure(server: Server, { requests, together, clients }: Load): Promise<Round> {
  const { latenciesMs: aloneMs } = await ask(server.post, plain, { requests, clients: 1 })
  const { latenciesMs: togetherMs } = await ask(server.post, paced, { requests: requests * 2, clients: together })
  const startCpu = cpuSeconds(server.pid)
  const { seconds } = await ask(server.post, plain, { requests: requests * 4, clients })
  return {
    aloneMs,
    togetherMs,
    requestsPerSecond: (requests * 4) / seconds,
    requestsPerCpuSecond: (requests * 4) / (cpuSeconds(server.pid) - startCpu),
  }
}

type Latencies = 'aloneMs' | 'togetherMs'

function typical(rounds: readonly Round[], which: Latencies, share = 0.5): number {
  return median(rounds.map((round) => percentile(round[which], share)))
}

function resultTable(results: Record<string, Round[]>, { together, clients }: Load): string[] {
  const head = [
    'server',
    'p50 ms, one client',
    'p99 ms',
    `p50 ms, ${together} at once`,
    'p99 ms',
    `requests/s, ${clients} clients`,
    'requests per CPU second of the server',
  ]
  const rows = Object.entries(results).map(([name, rounds]) => {
    const latencies = (['aloneMs', 'togetherMs'] as const).flatMap((which) => [
      typical(rounds, which).toFixed(3),
      typical(rounds, which, 0.99).toFixed(3),
    ])
    const rates = (['requestsPerSecond', 'requestsPerCpuSecond'] as const).map((rate) =>
      median(rounds.map((round) => round[rate])).toFixed(0),
    )
    return [name, ...latencies, ...rates]
  })
  return markdownTable(head, rows)
}

runScript(usage, main)
