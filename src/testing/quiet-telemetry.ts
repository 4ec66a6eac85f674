import { Metrics } from '../telemetry/metrics.ts'
import { RecentRequests } from '../telemetry/recent-requests.ts'
import { Telemetry } from '../telemetry/telemetry.ts'

/** What the HTTP layer tells of requests, for a server that has no engines. */
export function quietTelemetry() {
  const clock = Date.now
  const requests = new RecentRequests(clock)
  const telemetry = new Telemetry({
    pool: { status: () => [], stats: async () => undefined, report: () => ({ engines: [], pools: [] }) },
    requests,
    sampleMachine: async () => ({ devices: [], host: undefined, processes: new Map(), ownBytes: 0, disk: undefined }),
    waitingMails: () => 0,
    otherNotices: () => [],
    clock,
  })
  const metrics = new Metrics({ version: '1.2.3', telemetry, requests })
  return { requests, live: { telemetry, requests, metrics, clock } }
}
