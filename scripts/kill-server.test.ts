import { expect, test } from 'bun:test'
import { killServer } from './kill-server.ts'

test('a server killed 20 times under load loses nothing and keeps nothing', async () => {
  const report = await killServer(20)
  expect(report.answers).toBeGreaterThan(100)
  expect(report.topUps).toBeGreaterThan(20)
  // Otherwise the kills came too early to prove anything.
  expect(report.heldAtDeath).toBeGreaterThan(0)
}, 120_000)
