/**
 * Holds the scheduler's invariants over many random histories, and prints a shrunk one that breaks them.
 *
 *     bun run histories                   # 100,000 of them
 *     bun run histories -- 5000 42        # fewer, from this seed
 */
import fc from 'fast-check'
import { histories, runHistory } from '../src/testing/scheduler/histories.ts'

const numRuns = Number(process.argv[2] ?? 100_000)
const seed = Number(process.argv[3] ?? 1)
const startedMs = performance.now()
const { failed, counterexample, errorInstance } = fc.check(fc.property(histories, runHistory), { numRuns, seed })
const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
if (failed) {
  console.error(errorInstance)
  console.error(JSON.stringify(counterexample?.[0]))
  process.exitCode = 1
} else console.log(`${numRuns} histories from seed ${seed} hold all invariants, in ${seconds} s`)
