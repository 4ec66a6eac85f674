import type { EndpointState } from '../core/endpoint-state.ts'
import type { DeviceSample } from '../machine/device-figures.ts'
import type { WatchedPool } from '../telemetry/engine-watch.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { RecentRequests } from '../telemetry/recent-requests.ts'
import { Telemetry } from '../telemetry/telemetry.ts'

const noEngines: WatchedPool = { status: () => [], stats: async () => undefined }

/** Returns the telemetry of requests, for a server that has no engines except those of `pool`. */
export function quietTelemetry(
  pool: WatchedPool = noEngines,
  devices: () => DeviceSample = () => [],
  endpoints: readonly EndpointState[] = [],
) {
  const clock = Date.now
  const requests = new RecentRequests(clock)
  const telemetry = new Telemetry({
    pool: { ...pool, report: () => ({ engines: pool.status(), pools: [] }) },
    requests,
    sampleMachine: async () => ({
      devices: devices(),
      host: undefined,
      processes: new Map(),
      ownBytes: 0,
      disk: undefined,
    }),
    waitingMails: () => 0,
    otherNotices: () => [],
    clock,
  })
  const metrics = new Metrics({ version: '1.2.3', telemetry, requests, endpoints: () => endpoints })
  return { requests, live: { telemetry, requests, metrics, clock } }
}
