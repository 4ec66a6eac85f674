import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

interface TraceEvent {
  readonly ph: string
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Processor time in microseconds, without that of other programs */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/**
 * Returns the tasks of the page's main thread during `work`, in milliseconds of processor time, longest first. A
 * frame is one task.
 */
export async function taskTimes(page: Page, work: () => Promise<void>): Promise<readonly number[]> {
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
  return tasks.map(({ tdur = 0 }) => tdur / 1_000).toSorted((a, b) => b - a)
}
