/** Live data of the running server for its operator. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, version } from '../config/config.ts'
import { isLoopback } from '../core/listen-address.ts'
import type { Notice } from '../core/live.ts'
import type { EnginePool } from '../engines/pool.ts'
import type { EndpointControl } from '../inference/endpoint-control.ts'
import { machineSampler } from '../machine/sample-machine.ts'
import type { RunningServer } from '../operations/running-server.ts'
import type { Stores } from '../operations/stores.ts'
import type { LiveFeeds } from '../telemetry/live-feeds.ts'
import type { LogTail } from '../telemetry/log-tail.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { RecentRequests } from '../telemetry/recent-requests.ts'
import { endpointNotices, standingNotices } from '../telemetry/standing-notices.ts'
import { Telemetry } from '../telemetry/telemetry.ts'

interface WatchedServer {
  readonly config: Config
  readonly stores: Stores
  readonly pool: EnginePool
  readonly server: RunningServer
  readonly tail: LogTail
  readonly endpoints: EndpointControl
}

/** Starts watching. `closing` ends everything that was started. */
export function watchServer(watched: WatchedServer, closing: AsyncDisposableStack): LiveFeeds {
  const { config, stores, pool, server, tail, endpoints } = watched
  const clock = Date.now
  const requests = new RecentRequests(clock)
  const standing = keptFor(60_000, standingNoticeReader(watched))
  const ofEndpoints = keptFor(5_000, () => endpointNotices(endpoints.list()))
  const telemetry = new Telemetry({
    pool,
    requests,
    sampleMachine: machineSampler({ environment: config.engineEnvironment, dataDir: config.data }),
    waitingMails: () => stores.outbox.countWaiting(),
    otherNotices: () => [...ofEndpoints(), ...standing()],
    clock,
  })
  telemetry.start()
  closing.defer(() => telemetry.stop())
  const metrics = new Metrics({
    version,
    telemetry,
    requests,
    endpoints: () => endpoints.list(),
    backends: () => server.backends.report(),
    receivers: () => server.receivers.states(),
  })
  return { telemetry, requests, metrics, pulls: server.library.pulls, log: tail, clock }
}

/** Returns a reader that caches its value for `keptMs`, so that not every look reads the disk. */
function keptFor<Value>(keptMs: number, read: () => Value): () => Value {
  let kept: { readonly value: Value; readonly atMs: number } | undefined
  return () => {
    const nowMs = Date.now()
    if (kept === undefined || nowMs - kept.atMs >= keptMs) kept = { value: read(), atMs: nowMs }
    return kept.value
  }
}

function standingNoticeReader({ config, server }: WatchedServer): () => readonly Notice[] {
  const { admin, data, host, publicUrl, ollamaKeyless: servesKeyless } = config
  const inUseSinceMs = statSync(join(data, 'inferd.db')).birthtimeMs
  const isEncrypted = config.tls !== 'off' || publicUrl?.startsWith('https:') === true
  const isReadableOnNetwork = admin === 'network' && !isLoopback(host) && !isEncrypted
  return () => {
    const { latest, failure } = server.backups.lastStatus()
    const backup = { backupMs: latest?.createdMs, backupFailure: failure?.reason }
    const checks = server.latestDiagnosis()?.checks ?? []
    const findings = checks.filter(({ verdict }) => verdict === 'bad' || verdict === 'warn').map(({ text }) => text)
    const backends = server.backends.problems()
    const facts = { ...backup, findings, backends, inUseSinceMs, isReadableOnNetwork, servesKeyless }
    return standingNotices({ ...facts, nowMs: Date.now() })
  }
}
