/** Sends marked requests of all kinds to a server, kills it, and searches every byte that it wrote for the marks. */
import { searchAfterRequests } from './canary/search-after.ts'
import { readFlags, runScript } from './shared/command-line.ts'

const usage = 'usage: bun scripts/canary.ts [--rounds 9]'

async function main(): Promise<number> {
  const { rounds } = readFlags({ rounds: 9 })
  const report = await searchAfterRequests({ rounds, asksStarters: true })
  console.log(JSON.stringify(report, undefined, 2))
  return report.hits.length === 0 ? 0 : 1
}

runScript(usage, main)
