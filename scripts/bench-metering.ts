/** What accounts and money cost a request: the same one with and without, over HTTP, interleaved; see docs/benchmarks.md. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { textParts } from '../src/testing/text-parts.ts'
import { readFlags, runScript } from './shared/command-line.ts'
import { describeMachine, readMachine } from './shared/machine.ts'
import { markdownTable } from './shared/markdown-table.ts'
import { cpuSeconds } from './shared/process-usage.ts'
import { median, percentile } from './shared/statistics.ts'

const usage = 'usage: bun run bench:metering [--rounds 7] [--requests 500] [--clients 64]'
const root = join(import.meta.dir, '..')
const addedGoalMs = 0.5
const rateGoal = 2_000

const body = JSON.stringify({
  model: 'bench/fake',
  max_tokens: 8,
  messages: [{ role: 'user', content: 'one two three four five six seven eight' }],
})

interface Server extends AsyncDisposable {
  readonly pid: number
  post(): Promise<void>
}

interface Round {
  /** Of requests that are sent one after the other. */
  readonly latencyMs: readonly number[]
  readonly requestsPerSecond: number
  readonly requestsPerCpuSecond: number
}

async function main(): Promise<number> {
  const { rounds, ...load } = readFlags({ rounds: 7, requests: 500, clients: 64 })
  await using free = await startServer('free')
  await using metered = await startServer('metered')
  const results: Record<'free' | 'metered', Round[]> = { free: [], metered: [] }
  // The first round warms both up.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, server] of [
      ['free', free],
      ['metered', metered],
    ] as const) {
      const result = await measure(server, load)
      if (round > 0) results[name].push(result)
    }
  }
  const addedMs = typical(results.metered) - typical(results.free)
  const rate = median(results.metered.map(({ requestsPerCpuSecond }) => requestsPerCpuSecond))
  console.log([...describeMachine(await readMachine()), '', ...resultTable(results)].join('\n'))
  console.log(`Metering adds ${addedMs.toFixed(3)} ms (p50).`)
  if (addedMs > addedGoalMs) console.error(`misses the goal of ${addedGoalMs} ms`)
  if (rate < rateGoal) console.error(`misses the goal of ${rateGoal} requests a second on one core`)
  return addedMs > addedGoalMs || rate < rateGoal ? 1 : 0
}

async function startServer(kind: 'free' | 'metered'): Promise<Server> {
  const folder = join(root, 'build')
  mkdirSync(folder, { recursive: true })
  const child = Bun.spawn([process.execPath, join(root, 'scripts/bench/metering-server.ts'), kind, folder], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value: line = '' } = await textParts(child.stdout).next()
  const { baseUrl, key } = JSON.parse(line)
  return {
    pid: child.pid,
    post: async () => {
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

async function measure(server: Server, load: { requests: number; clients: number }): Promise<Round> {
  const latencyMs: number[] = []
  for (let request = 0; request < load.requests; request++) {
    const startMs = performance.now()
    await server.post()
    latencyMs.push(performance.now() - startMs)
  }
  const startMs = performance.now()
  const startCpu = cpuSeconds(server.pid)
  const total = load.requests * 4
  let left = total
  await Promise.all(
    Array.from({ length: load.clients }, async () => {
      while (left-- > 0) await server.post()
    }),
  )
  const seconds = (performance.now() - startMs) / 1000
  return {
    latencyMs,
    requestsPerSecond: total / seconds,
    requestsPerCpuSecond: total / (cpuSeconds(server.pid) - startCpu),
  }
}

function typical(rounds: readonly Round[]): number {
  return median(rounds.map(({ latencyMs }) => median(latencyMs)))
}

function resultTable(results: Record<string, Round[]>): string[] {
  const head = [
    'server',
    'p50 ms, one client',
    'p99 ms',
    'requests/s, many clients',
    'requests per CPU second of the server',
  ]
  const rows = Object.entries(results).map(([name, rounds]) => {
    const of = (value: (round: Round) => number) => median(rounds.map(value))
    return [
      name,
      typical(rounds).toFixed(3),
      of(({ latencyMs }) => percentile(latencyMs, 0.99)).toFixed(3),
      of(({ requestsPerSecond }) => requestsPerSecond).toFixed(0),
      of(({ requestsPerCpuSecond }) => requestsPerCpuSecond).toFixed(0),
    ]
  })
  return markdownTable(head, rows)
}

runScript(usage, main)
