import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

interface TraceEvent {
  readonly ph: string
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Time of the processor in microseconds: what other programs of the machine take is not in it. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/**
 * What the page's main thread did during `work`: the longest of its tasks, which is the longest frame, and all of them together,
 * in milliseconds of processor time.
 */
export async function taskTimes(
  page: Page,
  work: () => Promise<void>,
): Promise<{ longestMs: number; totalMs: number }> {
  const browser = page.context().browser()
  if (browser === null) throw new Error('the page has no browser: this is a bug')
  const path = join(tmpdir(), `inferd-trace-${process.pid}.json`)
  await browser.startTracing(page, { path, categories: ['toplevel', '__metadata'] })
  try {
    await work()
  } finally {
    await browser.stopTracing()
  }
  const { traceEvents } = JSON.parse(readFileSync(path, 'utf8')) as { traceEvents: readonly TraceEvent[] }
  rmSync(path)
  const isMain = ({ ph, name, args }: TraceEvent) =>
    ph === 'M' && name === 'thread_name' && args?.name === 'CrRendererMain'
  const mains = new Set(traceEvents.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`))
  const tasks = traceEvents.filter(
    ({ ph, name, pid, tid }) => ph === 'X' && name.endsWith('RunTask') && mains.has(`${pid} ${tid}`),
  )
  const times = tasks.map(({ tdur = 0 }) => tdur / 1_000)
  return { longestMs: Math.max(0, ...times), totalMs: times.reduce((sum, ms) => sum + ms, 0) }
}
