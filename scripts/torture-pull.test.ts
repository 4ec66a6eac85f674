import { expect, test } from 'bun:test'
import { killPulls } from './torture-pull/kills.ts'
import { cutPower } from './torture-pull/power-cuts.ts'

test('downloads that are killed go on with what is there and end in the right file', async () => {
  const report = await killPulls(4)
  // Otherwise the kills came at moments that prove nothing.
  expect(report.midway).toBeGreaterThan(0)
}, 60_000)

test('downloads that lose their power leave no wrong file, and lose none that was whole', async () => {
  const report = await cutPower(25)
  expect(report.whole).toBeGreaterThan(0)
}, 60_000)
