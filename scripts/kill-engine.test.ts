import { expect, test } from 'bun:test'
import { killEngine } from './kill-engine.ts'

test('an engine that ends in any way loses no request that has given nothing', async () => {
  const reports = await killEngine({ rounds: 6, requests: 8, watchdogSpeed: 5000 })
  expect(reports.flatMap(({ lost }) => lost)).toEqual([])
}, 120_000)
