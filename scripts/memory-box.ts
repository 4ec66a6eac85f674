/**
 * Whether inferd keeps within its memory with real models: four generated ones of different shapes, of which two or three fit.
 *
 *   bun scripts/memory-box.ts [--size-mb 300] [--requests 500] [--clients 8]
 *
 * First a scripted order, whose least number of loads is known, then requests of many clients at once. Exits with 1 if a
 * request failed in another way than is promised, memory was above the limit, or a load was one too many.
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
