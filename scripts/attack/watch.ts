/** Watches a server while something happens to it: a paying client, GET /health, its memory and its spool. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { residentMib } from '../shared/process-usage.ts'
import { percentile } from '../shared/statistics.ts'
import type { AskPaid } from './payers.ts'

const healthEveryMs = 20
const memoryEveryMs = 50
const payerPauseMs = 50

export interface Watched {
  readonly ask: AskPaid
  /** Ends with `/v1`. */
  readonly baseUrl: string
  readonly pid: number
  readonly spoolFolder: string
  readonly durationMs: number
}

export interface Sight {
  /** Times of whole requests of the paying client. */
  readonly payerMs: { readonly p50: number; readonly p99: number; readonly count: number }
  /** Times to the first output for the paying client. */
  readonly firstTokenMs: { readonly p50: number; readonly p99: number }
  /** Different errors of the paying client. */
  readonly payerErrors: readonly string[]
  readonly healthMs: { readonly p50: number; readonly p99: number; readonly max: number }
  /** Largest resident memory of the server's own process. */
  readonly peakMib: number
  /** Largest size of all files in the spool. */
  readonly spoolMib: number
}

/** Resolves when the time is over and the paying client's last request has ended. */
export async function watch({ ask, baseUrl, pid, spoolFolder, durationMs }: Watched): Promise<Sight> {
  const endsAtMs = performance.now() + durationMs
  const payer: number[] = []
  const firstToken: number[] = []
  const errors = new Set<string>()
  const health: number[] = []
  let peakMib = 0
  let spoolMib = 0
  const repeat = async (everyMs: number, act: () => Promise<void> | void) => {
    while (performance.now() < endsAtMs) {
      await act()
      await Bun.sleep(everyMs)
    }
  }
  const healthUrl = new URL('/health', baseUrl)
  await Promise.all([
    repeat(payerPauseMs, async () => {
      try {
        const { firstMs, totalMs } = await ask()
        payer.push(totalMs)
        firstToken.push(firstMs)
      } catch (error) {
        errors.add(String(error).slice(0, 200))
      }
    }),
    repeat(healthEveryMs, async () => {
      const startMs = performance.now()
      await (await fetch(healthUrl)).text()
      health.push(performance.now() - startMs)
    }),
    repeat(memoryEveryMs, () => {
      peakMib = Math.max(peakMib, residentMib(pid))
      spoolMib = Math.max(spoolMib, sizeMib(spoolFolder))
    }),
  ])
  return {
    payerMs: { p50: percentile(payer, 0.5), p99: percentile(payer, 0.99), count: payer.length },
    firstTokenMs: { p50: percentile(firstToken, 0.5), p99: percentile(firstToken, 0.99) },
    payerErrors: [...errors],
    healthMs: { p50: percentile(health, 0.5), p99: percentile(health, 0.99), max: Math.max(...health) },
    peakMib,
    spoolMib,
  }
}

function sizeMib(folder: string): number {
  try {
    const bytes = readdirSync(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    return bytes.reduce((sum, each) => sum + each, 0) / 1024 / 1024
  } catch {
    // The first upload creates the folder.
    return 0
  }
}
