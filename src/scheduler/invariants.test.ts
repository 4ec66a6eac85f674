import { test } from 'bun:test'
import fc from 'fast-check'
import { histories, runHistory } from '../testing/scheduler/histories.ts'

test('the invariants hold after every event of random histories', () => {
  fc.assert(fc.property(histories, runHistory), { numRuns: 100 })
}, 60_000)
