import type { Command } from 'commander'
import type { App } from '../server/app.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { askServer } from './control-client.ts'
import type { Io } from './io.ts'
import { configOf, configSources } from './options.ts'
import { ownKey, renewOwnKey } from './own-key.ts'
import { type OperationTarget, operationTarget } from './perform.ts'

/** Server that a command uses. */
export interface UsedServer {
  readonly api: ApiClient
  readonly target: OperationTarget
}

/** Time limit of operations: large models take minutes to load. */
const patienceMs = 15 * 60_000

/** Runs work with the data folder's server. Starts one on loopback for the time of the work if none runs. */
export async function withServer<Result>(
  command: Command,
  io: Io,
  work: (server: UsedServer) => Promise<Result>,
): Promise<Result> {
  const target = operationTarget(command, io, patienceMs)
  // Before a server starts: its first start would make a key and nobody would see it.
  const key = await ownKey(target)
  const renewKey = () => renewOwnKey(target)
  const running = await askServer(target.dataDir)
  if (running !== undefined) {
    return work({ target, api: apiClient({ url: reachable(running.url), key, renewKey }) })
  }
  const app = await startForNow(command, io)
  try {
    return await work({ target, api: apiClient({ url: app.url, key, renewKey }) })
  } finally {
    await app.stop(0)
  }
}

/** Starts a server in this process at a free port of loopback. Its log is kept for `inferd logs` alone. */
async function startForNow(command: Command, io: Io): Promise<App> {
  const [{ startApp }, { createLog }, { LogTail }] = await Promise.all([
    import('../server/app.ts'),
    import('../telemetry/log.ts'),
    import('../telemetry/log-tail.ts'),
  ])
  const config = { ...configOf(command, io), host: '127.0.0.1', port: 0, ollamaPort: undefined, preload: [] }
  const tail = new LogTail()
  const log = createLog({ level: config.logLevel, format: 'json', write: () => undefined, tail, complete: io.hint })
  return startApp(config, { log, tail, environment: io.environment, sources: configSources(command, io) })
}

/** Returns an address of this machine for a server that listens on all of its addresses. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0', '//127.0.0.1').replace('//[::]', '//[::1]')
}
