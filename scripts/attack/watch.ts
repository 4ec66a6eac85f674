/** What others see of the server while something happens to it: a paying client, GET /health, and its memory. */

import { type ChatTarget, streamChat } from '../bench/chat/stream-chat.ts'
import { residentMib } from '../shared/process-usage.ts'
import { percentile } from '../shared/statistics.ts'

const healthEveryMs = 20
const memoryEveryMs = 50
const payerPauseMs = 50
/** The prompt of the paying client, and how many tokens it asks for. */
const job = { prompt: 'What is the capital of France?', tokens: 16, temperature: 0, seed: 1 }

export interface Watched {
  readonly target: ChatTarget
  readonly pid: number
  readonly durationMs: number
}

export interface Sight {
  /** Whole requests of the paying client. */
  readonly payerMs: { readonly p50: number; readonly p99: number; readonly count: number }
  /** Until the paying client has its first token. */
  readonly firstTokenMs: { readonly p50: number; readonly p99: number }
  /** What went wrong for the paying client, each kind once. */
  readonly payerErrors: readonly string[]
  readonly healthMs: { readonly p50: number; readonly p99: number; readonly max: number }
  /** Largest resident memory of the server's own process. */
  readonly peakMib: number
}

/** Resolves when the time is over and the paying client's last request has ended. */
export async function watch({ target, pid, durationMs }: Watched): Promise<Sight> {
  const endsAtMs = performance.now() + durationMs
  const payer: number[] = []
  const firstToken: number[] = []
  const errors = new Set<string>()
  const health: number[] = []
  let peakMib = 0
  const repeat = async (everyMs: number, act: () => Promise<void> | void) => {
    while (performance.now() < endsAtMs) {
      await act()
      await Bun.sleep(everyMs)
    }
  }
  const healthUrl = new URL('/health', target.baseUrl)
  await Promise.all([
    repeat(payerPauseMs, async () => {
      try {
        const { totalMs, arrivalsMs } = await streamChat(target, job)
        payer.push(totalMs)
        firstToken.push(arrivalsMs[0] ?? totalMs)
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
    }),
  ])
  return {
    payerMs: { p50: percentile(payer, 0.5), p99: percentile(payer, 0.99), count: payer.length },
    firstTokenMs: { p50: percentile(firstToken, 0.5), p99: percentile(firstToken, 0.99) },
    payerErrors: [...errors],
    healthMs: { p50: percentile(health, 0.5), p99: percentile(health, 0.99), max: Math.max(...health) },
    peakMib,
  }
}
