/**
 * Checks that inferd stays within its memory with four generated models of different shapes, of which two or three fit.
 *
 *   bun scripts/memory-box.ts [--size-mb 300] [--requests 500] [--clients 8]
 *
 * First runs a scripted order with a known least number of loads, then requests of many clients at once. Exits with 1 if
 * a request failed in an unexpected way, memory exceeded the limit, or there were too many loads.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runMemoryBox } from './memory-box/run-memory-box.ts'

const string = { type: 'string' } as const
const { values } = parseArgs({ options: { 'size-mb': string, requests: string, clients: string } })
const folder = mkdtempSync(join(tmpdir(), 'inferd-memory-box-'))
try {
  const report = await runMemoryBox({
    folder,
    megabytes: Number(values['size-mb'] ?? 300),
    requests: Number(values.requests ?? 500),
    clients: Number(values.clients ?? 8),
  })
  console.log(report.text)
  process.exitCode = report.problems.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true })
}
