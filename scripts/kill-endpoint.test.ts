import { expect, test } from 'bun:test'
import { killEndpoint } from './kill-endpoint.ts'

test('a killed server loses the answers that it had begun, and nothing else', async () => {
  const [report] = await killEndpoint({ rounds: 1, streams: 12, breakerSpeed: 20 })
  expect(report?.streams).toBe(12)
}, 60_000)
