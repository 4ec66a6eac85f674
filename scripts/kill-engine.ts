/**
 * Ends a model's engine under 32 short requests, repeatedly and in every way, and checks each time: requests whose
 * clients have got nothing are still answered, others end with an error and cost nothing, and the books add up.
 */

import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkIntegrity } from '../src/billing/integrity.ts'
import { type Clock, systemClock } from '../src/core/clock.ts'
import { type EngineSpawn, engineSpawn } from '../src/engines/host/spawn-engine.ts'
import { checkEveryMs } from '../src/engines/host/watchdog.ts'
import { embeddedFilePath } from '../src/engines/runtime/runtime-paths.ts'
import { type Payer, startTestServer, type TestServer } from '../src/testing/test-server.ts'
import { testedProgram } from '../src/testing/tested-program.ts'
import { readFlags } from './shared/command-line.ts'
import { markdownTable } from './shared/markdown-table.ts'

const model = 'test/killed'
const firstBalanceNanoUsd = 1_000_000_000
const [promptNanoUsd, answerNanoUsd] = [10, 30]
const pricing = { inputNanoUsd: promptNanoUsd * 1e6, outputNanoUsd: answerNanoUsd * 1e6, unit: '1M_tokens' } as const

/** Ways to end the engine. `idle`: before the requests come. `loading`: also ends the next engine while it loads. */
const ways = ['SIGKILL', 'SIGSTOP', 'SIGSEGV', 'SIGABRT', 'idle', 'loading'] as const
type Way = (typeof ways)[number]

export interface KillReport {
  readonly way: Way
  readonly requests: number
  readonly answered: number
  /** Requests that ended with an error after their clients had got a part of the answer. */
  readonly failed: number
  /** Answers of requests that ended with an error although their clients had got nothing. */
  readonly lost: readonly string[]
}

export interface KillOptions {
  readonly rounds: number
  readonly requests: number
  /** Speed of the watchdog's time for a stopped engine, as a multiple of the clock. */
  readonly watchdogSpeed?: number
  readonly random?: () => number
}

/** Runs the rounds. Throws if the books do not add up. */
export async function killEngine({
  rounds,
  requests,
  watchdogSpeed = 1,
  random = Math.random,
}: KillOptions): Promise<readonly KillReport[]> {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-kill-engine-'))
  const databasePath = join(folder, 'inferd.db')
  const weights = embeddedFilePath('', 'models/starter/starter-chat-q8_0.gguf') ?? ''
  /** Normal speed for engines that work, load, or have been killed and must end. */
  let speed = 1
  const clock: Clock = {
    nowMs: systemClock.nowMs,
    after: (ms, callback) => systemClock.after(ms === checkEveryMs ? ms / speed : ms, callback),
  }
  const spawnChild = engineSpawn({ command: testedProgram, environment: {} })
  /** Process that was killed while it loaded. A message that it is loaded may still be on its way. */
  let killedLoading: number | undefined
  const spawn: EngineSpawn = (kind, handlers, file) => {
    const onMessage: typeof handlers.onMessage = (message) => {
      if (child.pid !== killedLoading) handlers.onMessage(message)
    }
    const child = spawnChild(kind, { ...handlers, onMessage }, file)
    const kill = (signal: 'SIGTERM' | 'SIGKILL') => {
      speed = 1
      child.kill(signal)
    }
    return { ...child, kill }
  }
  const server = startTestServer({
    databasePath,
    models: { [model]: { manifest: { engine: 'llama', contextLength: 2048, pricing }, filePaths: { model: weights } } },
    engine: { contextTokens: 8192, requestTokens: 1024, parallel: 8 },
    pool: { clock, spawn },
  })
  const payers = Array.from({ length: 4 }, () => server.payer(firstBalanceNanoUsd))
  const reports: KillReport[] = []
  try {
    await ask(server, payers[0], false, random)
    for (let round = 0; round < rounds; round++) {
      const way = ways[round % ways.length] ?? 'SIGKILL'
      if (way === 'idle') kill(server, 'SIGKILL')
      const asked = Array.from({ length: requests }, (_, index) =>
        ask(server, payers[index % payers.length], index % 2 === 0, random),
      )
      if (way !== 'idle') {
        await Bun.sleep(random() * 400)
        if (way === 'SIGSTOP') speed = watchdogSpeed
        await replaced(server, kill(server, way === 'loading' ? 'SIGKILL' : way))
        if (way === 'loading') {
          await Bun.sleep(random() * 50)
          // Only a loading engine is killed: a loaded one already has requests that lost their first engine.
          if (statusOf(server)?.state === 'starting') {
            killedLoading = kill(server, 'SIGKILL')
            await replaced(server, killedLoading)
          }
        }
      }
      const answers = await Promise.all(asked)
      await server.drained()
      checkBooks(server, payers, databasePath)
      const failed = answers.filter(({ end }) => end === 'failed').length
      const lost = answers.flatMap(({ end, text }) => (end === 'lost' ? [text] : []))
      reports.push({ way, requests, answered: requests - failed - lost.length, failed, lost })
    }
  } finally {
    await server[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  }
  return reports
}

/**
 * Waits until another engine loads, or none is needed: the round's requests may have been answered before. The next
 * round must not give its requests to an engine that dies, and then end the one after it.
 */
async function replaced(server: TestServer, killed: number | undefined): Promise<void> {
  if (killed === undefined) return
  for (;;) {
    const status = statusOf(server)
    if (status === undefined || status.state === 'failed') return
    if (status.pid !== undefined ? status.pid !== killed : status.state === 'stopped' && status.waiting === 0) return
    await Bun.sleep(1)
  }
}

function statusOf(server: TestServer) {
  return server.pool.status().find(({ modelId }) => modelId === model)
}

function kill(server: TestServer, signal: NodeJS.Signals): number | undefined {
  const pid = statusOf(server)?.pid
  if (pid !== undefined) process.kill(pid, signal)
  return pid
}

interface Charge {
  readonly requestId: string
  readonly priceNanoUsd: number
}

const charges: Charge[] = []

interface Answer {
  readonly end: 'answered' | 'failed' | 'lost'
  readonly text: string
}

/** Requests one short answer, streamed or whole, with different words for each client. */
async function ask(
  server: TestServer,
  payer: Payer | undefined,
  isStreamed: boolean,
  random: () => number,
): Promise<Answer> {
  const content = `Write a line about the number ${Math.floor(random() * 1e6)}.`
  const response = await fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer?.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ model, max_tokens: 24, messages: [{ role: 'user', content }], stream: isStreamed },
      ...(isStreamed && { stream_options: { include_usage: true } }),
    }),
  })
  const text = await response.text()
  const isWhole = response.status === 200 && (!isStreamed || text.endsWith('data: [DONE]\n\n'))
  const count = (name: string) => Number(new RegExp(`"${name}":(\\d+)`).exec(text)?.[1] ?? 0)
  const priceNanoUsd = count('prompt_tokens') * promptNanoUsd + count('completion_tokens') * answerNanoUsd
  const requestId = response.headers.get('x-request-id') ?? ''
  charges.push({ requestId, priceNanoUsd: isWhole ? priceNanoUsd : 0 })
  if (isWhole) return { end: 'answered', text }
  return { end: /content":"[^"]/.test(text) ? 'failed' : 'lost', text }
}

function checkBooks(server: TestServer, payers: readonly Payer[], path: string): void {
  let sum = 0
  for (const { requestId, priceNanoUsd } of charges) {
    const charged = server.stores.usage.find(requestId)?.chargedNanoUsd ?? 0
    require(charged === priceNanoUsd, `${requestId} was charged ${charged}, not ${priceNanoUsd}`)
    sum += charged
  }
  const money = payers.map((payer) => payer.money())
  require(money.every(({ held }) => held === 0), 'money stays held')
  const spent = money.reduce((total, { balance }) => total + firstBalanceNanoUsd - balance, 0)
  require(spent === sum, `${spent} was spent, not ${sum}`)
  using database = new Database(path, { readonly: true })
  const { problems, openHolds } = checkIntegrity(database)
  require(problems.length === 0 && openHolds === 0, [...problems, `${openHolds} holds are open`].join('\n'))
}

function require(isTrue: boolean, problem: string): void {
  if (!isTrue) throw new Error(problem)
}

if (import.meta.main) {
  const flags = readFlags({ rounds: 20, requests: 32, watchdogSpeed: 1 })
  const reports = await killEngine(flags)
  const rows = reports.map(({ way, requests, answered, failed, lost }, round) =>
    [round + 1, way, requests, answered, failed, lost.length].map(String),
  )
  const head = ['round', 'engine ended by', 'requests', 'answered', 'failed after a part', 'lost']
  console.log(markdownTable(head, rows).join('\n'))
  if (reports.some(({ lost }) => lost.length > 0)) process.exitCode = 1
}
