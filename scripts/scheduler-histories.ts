/**
 * Checks the scheduler's invariants over many random histories, and prints a shrunk one that breaks them.
 *
 *     bun run histories                   # 100,000 of them
 *     bun run histories -- 5000 42        # fewer, from this seed
 */
import fc from 'fast-check'
import { histories, runHistory } from '../src/testing/scheduler/histories.ts'

const chunk = 1_000
const wanted = Number(process.argv[2] ?? 100_000)
const firstSeed = Number(process.argv[3] ?? 1)
const startedMs = performance.now()
for (let done = 0; done < wanted; done += chunk) {
  const numRuns = Math.min(chunk, wanted - done)
  const seed = firstSeed + done
  const { failed, counterexample, errorInstance } = fc.check(fc.property(histories, runHistory), { numRuns, seed })
  if (failed) {
    console.error(errorInstance)
    console.error(JSON.stringify(counterexample?.[0]))
    process.exit(1)
  }
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
  console.log(`${done + numRuns} histories from seed ${firstSeed} hold all invariants, after ${seconds} s`)
}
