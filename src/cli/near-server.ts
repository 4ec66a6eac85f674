import type { Command } from 'commander'
import { openable } from '../core/listen-address.ts'
import type { App } from '../server/app.ts'
import type { ServerStatus } from '../server/control.ts'
import { type ApiClient, apiClient, type Connection } from './api-client.ts'
import { type ChosenModel, type ListedModel, type NeededWork, namedModel, usualModel } from './choose-model.ts'
import { askServer, ServerEnded } from './control-client.ts'
import type { Io } from './io.ts'
import { loadModel } from './load-model.ts'
import { configOf, configSources } from './options.ts'
import { ownKey, renewOwnKey } from './own-key.ts'
import { type OperationTarget, operationTarget } from './perform.ts'
import type { UsedServer } from './with-server.ts'

/** Time limit of operations and of a start: large models take minutes to load. */
const patienceMs = 15 * 60_000
/** Time for the last bytes of answers at a stop. */
const stopGraceMs = 1_000
/** Time between two looks at requests of others. */
const lookEveryMs = 200
/** Time that requests of others may take before the wait for them is explained. */
const quietMs = 1_000

/**
 * Server of the data folder: the running one, or one that this process starts on loopback while the command lasts. If
 * the running one ends, the next request finds or starts another.
 */
export class NearServer implements UsedServer, AsyncDisposable {
  readonly api: ApiClient
  readonly signal: AbortSignal
  readonly #command: Command
  readonly #io: Io
  readonly #target: OperationTarget
  #app: App | undefined

  constructor(command: Command, io: Io, signal: AbortSignal) {
    this.#command = command
    this.#io = io
    this.#target = operationTarget(command, io, patienceMs)
    this.signal = signal
    this.api = apiClient({ connect: () => this.#connect(), renewKey: () => renewOwnKey(this.#target) })
  }

  async models(): Promise<ListedModel[]> {
    const { openCatalog } = await import('../catalog/open-catalog.ts')
    return openCatalog(this.#target.dataDir)
      .entries()
      .map(({ manifest: { id, aliases, type, capabilities }, status }) => ({
        ...{ id, type, capabilities, aliases: aliases.map((alias) => alias.id), status: status.kind },
        ...(status.kind === 'broken' && { reason: status.reason }),
      }))
  }

  async choose(work: NeededWork, name: string | undefined): Promise<ChosenModel> {
    const models = await this.models()
    if (name !== undefined) return namedModel(models, work.kind, name)
    const { engines = [] } = (await this.#status()) ?? {}
    const loaded = engines.filter(({ state }) => state === 'ready' || state === 'starting')
    return usualModel(
      models,
      work,
      loaded.map(({ modelId }) => modelId),
    )
  }

  async load(model: string, signal: AbortSignal): Promise<void> {
    await this.#connect()
    return loadModel(this.#target, this.#io, model, signal)
  }

  /** Ends the server that this process started, after requests that other commands have sent to it. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#app === undefined) return
    const sinceMs = performance.now()
    let isExplained = false
    while (!this.signal.aborted && isUsed(await this.#status())) {
      if (!isExplained && performance.now() - sinceMs > quietMs) {
        this.#io.error('inferd: another command still uses the server of this one; Ctrl-C ends it\n')
        isExplained = true
      }
      await Bun.sleep(lookEveryMs)
    }
    await this.#app.stop(stopGraceMs)
  }

  /** Returns the running server. Starts one if none runs, and waits for one that starts or stops. */
  async #connect(): Promise<Connection> {
    const giveUpAtMs = performance.now() + patienceMs
    for (;;) {
      this.signal.throwIfAborted()
      try {
        // Makes the key first: a server that starts without any key makes one, which nobody would see.
        const key = await ownKey(this.#target)
        const running = await this.#status()
        if (running !== undefined) return { url: reachable(running.localUrl), key, isHere: true }
        this.#app = await this.#start()
        return { url: this.#app.url, key, isHere: true }
      } catch (error) {
        const { FolderInUseError } = await import('../server/start-conditions.ts')
        const mayPass = error instanceof FolderInUseError || error instanceof ServerEnded
        if (!mayPass || performance.now() > giveUpAtMs) throw error
      }
    }
  }

  /** Returns the status of the running server; undefined if none runs, or if it ends now. */
  async #status(): Promise<ServerStatus | undefined> {
    try {
      return await askServer(this.#target.dataDir)
    } catch (error) {
      if (error instanceof ServerEnded) return undefined
      throw error
    }
  }

  /** Starts a server in this process at a free port of loopback. Its log is kept for `inferd logs` alone. */
  async #start(): Promise<App> {
    const [{ startApp }, { createLog }, { LogTail }] = await Promise.all([
      import('../server/app.ts'),
      import('../telemetry/log.ts'),
      import('../telemetry/log-tail.ts'),
    ])
    const [command, io] = [this.#command, this.#io]
    const readConfig = () => {
      const own = { host: '127.0.0.1', port: 0, ollamaPort: undefined, preload: [], restartStatus: undefined }
      return { ...configOf(command, io), ...own, tls: 'off' as const }
    }
    const config = readConfig()
    const tail = new LogTail()
    const log = createLog({ level: config.logLevel, format: 'json', write: () => undefined, tail, complete: io.hint })
    const sources = configSources(command, io)
    return startApp(config, { log, tail, environment: io.environment, sources, readConfig })
  }
}

/** Returns whether requests run or wait. */
function isUsed(status: ServerStatus | undefined): boolean {
  if (status === undefined) return false
  return status.queue.length > 0 || status.engines.some(({ running, waiting }) => running + waiting > 0)
}

/** Returns an address of this machine for a server that listens on all of its addresses. */
function reachable(address: string): string {
  const url = new URL(address)
  url.hostname = openable(url.hostname)
  return url.origin
}
