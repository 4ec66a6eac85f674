/**
 * Kills one of two upstream servers under 32 streams, repeatedly, and checks each time: requests whose clients have
 * seen nothing move to the other server, others end with an error and cost nothing, the breaker opens, and closes once
 * the server is back, and the books add up.
 */
import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkIntegrity } from '../src/billing/integrity.ts'
import { systemClock } from '../src/core/clock.ts'
import type { EndpointState } from '../src/core/endpoint-state.ts'
import { EndpointRegistry } from '../src/engines/upstream/endpoints/endpoint-registry.ts'
import { type Payer, startTestServer, type TestServer } from '../src/testing/test-server.ts'
import { textParts } from '../src/testing/text-parts.ts'
import { askAs, testPricing } from '../src/testing/upstream/payer-request.ts'
import { servedBy } from '../src/testing/upstream/upstream-host.ts'
import { readFlags } from './shared/command-line.ts'
import { markdownTable } from './shared/markdown-table.ts'

const model = 'test/behind'
const firstBalanceNanoUsd = 1_000_000_000
const words = 20

export interface RoundReport {
  readonly streams: number
  /** Requests that were first sent to the killed server, and answered by the other. */
  readonly moved: number
  /** Requests that ended with an error because their clients had seen a part of the answer. */
  readonly failed: number
  /** Time from the server's return until its breaker closed. */
  readonly closedAfterMs: number
}

export interface KillOptions {
  readonly rounds: number
  readonly streams: number
  /** Speed of the breakers' time, as a multiple of the clock. */
  readonly breakerSpeed?: number
  readonly random?: () => number
}

/** Runs the rounds. Throws at the first mistake. */
export async function killEndpoint({
  rounds,
  streams,
  breakerSpeed = 1,
  random = Math.random,
}: KillOptions): Promise<readonly RoundReport[]> {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-kill-endpoint-'))
  let victim = await startEndpoint('0', 'A')
  const other = await startEndpoint('0', 'B')
  const behind = servedBy('vllm', [victim, other], { pricing: testPricing })
  const endpoints = new EndpointRegistry({
    clock: {
      nowMs: () => performance.now() * breakerSpeed,
      after: (ms, call) => systemClock.after(ms / breakerSpeed, call),
    },
    waitLimitMs: 30_000,
    log: () => undefined,
  })
  const databasePath = join(folder, 'inferd.db')
  const server = startTestServer({ databasePath, models: { [model]: behind }, upstream: { endpoints } })
  const payer = server.payer(firstBalanceNanoUsd)
  const statusOf = ({ url }: Endpoint) => {
    const found = endpoints.status(model, behind.manifest.upstream).find((status) => status.url === url)
    if (found === undefined) throw new Error(`nothing is known of ${url}`)
    return found
  }
  const reports: RoundReport[] = []
  try {
    require((await stream(server, payer, random)).isWhole, 'the first answer is not whole')
    for (let round = 0; round < rounds; round++) {
      const failedBefore = statusOf(victim).failed
      const asked = Array.from({ length: streams }, () => stream(server, payer, random))
      await Bun.sleep(150 + random() * 400)
      victim.process.kill('SIGKILL')
      await victim.process.exited
      const killed = victim
      const answers = await Promise.all(asked)
      const failed = answers.filter(({ isWhole }) => !isWhole)
      for (const { status, text } of failed)
        require(status === 200 &&
          text.includes('"engine_failed"') &&
          text.includes('"A '), `not an answer that began at the killed server: ${status} ${text}`)
      const failures = statusOf(killed).failed - failedBefore
      require(failures < 3 || !isClosed(statusOf(killed)), `the breaker is closed after ${failures} failures`)
      // Sends more requests if the failures so far were too few to open the breaker.
      for (let more = 0; more < 64 && isClosed(statusOf(killed)); more++)
        require((await stream(server, payer, random, 0)).isWhole, 'a request did not move to the other server')
      require(!isClosed(statusOf(killed)), 'the breaker does not open')

      victim = await startEndpoint(new URL(killed.url).port, 'A')
      const backAtMs = performance.now()
      while (!isClosed(statusOf(victim))) {
        require(performance.now() - backAtMs < 130_000, 'the breaker does not close')
        require((await stream(server, payer, random, 0)).isWhole, 'a request failed although one server is well')
        await Bun.sleep(50)
      }
      const closedAfterMs = performance.now() - backAtMs
      await server.drained()
      checkBooks(server, payer, databasePath)
      reports.push({ streams, moved: failures - failed.length, failed: failed.length, closedAfterMs })
    }
  } finally {
    for (const endpoint of [victim, other]) endpoint.process.kill('SIGKILL')
    await server[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  }
  return reports
}

interface Endpoint {
  readonly url: string
  readonly process: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
}

async function startEndpoint(port: string, name: string): Promise<Endpoint> {
  const command = [process.execPath, join(import.meta.dir, 'kill-endpoint/endpoint.ts'), port, name]
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
  for await (const line of textParts(child.stdout)) {
    return { url: String(JSON.parse(line).url), process: child }
  }
  throw new Error(`the server ${name} did not start`)
}

const charged: { readonly requestId: string; readonly isWhole: boolean }[] = []

/** Streams one answer of some words, the first of which comes after a pause. */
async function stream(server: TestServer, payer: Payer, random: () => number, pauseMs = 30) {
  const script = [
    { delayMs: Math.round(random() * 20 * pauseMs) },
    ...Array.from({ length: words }, (_, word) => [{ text: `${word} ` }, { delayMs: pauseMs }]).flat(),
  ]
  // Different beginnings, so that requests go to both servers.
  const response = await askAs(server, payer, { model, stream: true, script: [{ log: String(random()) }, ...script] })
  const text = await response.text()
  const isWhole = text.endsWith('data: [DONE]\n\n') && text.includes('"finish_reason":"stop"')
  charged.push({ requestId: response.headers.get('x-request-id') ?? '', isWhole })
  return { status: response.status, text, isWhole }
}

function isClosed({ state }: EndpointState): boolean {
  return state === 'closed'
}

function checkBooks(server: TestServer, payer: Payer, path: string): void {
  let sum = 0
  for (const { requestId, isWhole } of charged) {
    const cost = server.stores.usage.find(requestId)?.chargedNanoUsd
    const price = isWhole ? 5 * 10 + (words + 1) * 30 : 0
    require(cost === price, `${requestId} was charged ${cost}, not ${price}`)
    sum += price
  }
  const { balance, held } = payer.money()
  require(held === 0, `${held} stay held`)
  require(balance === firstBalanceNanoUsd - sum, `the balance is ${balance}, not ${firstBalanceNanoUsd - sum}`)
  using database = new Database(path, { readonly: true })
  const { problems, openHolds } = checkIntegrity(database)
  require(problems.length === 0 && openHolds === 0, [...problems, `${openHolds} holds are open`].join('\n'))
}

function require(isTrue: boolean, problem: string): void {
  if (!isTrue) throw new Error(problem)
}

if (import.meta.main) {
  const reports = await killEndpoint(readFlags({ rounds: 20, streams: 32 }))
  const rows = reports.map(({ streams, moved, failed, closedAfterMs }, round) =>
    [round + 1, streams, moved, failed, (closedAfterMs / 1000).toFixed(1)].map(String),
  )
  console.log(markdownTable(['round', 'streams', 'moved', 'ended with an error', 'closed after s'], rows).join('\n'))
}
