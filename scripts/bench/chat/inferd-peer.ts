import { type InferdServer, startInferd } from '../../shared/inferd-server.ts'
import { childrenOf } from '../../shared/process-usage.ts'
import type { Job, JobResult } from './job.ts'
import type { Peer, PeerProcesses } from './peer.ts'
import { type BenchSettings, contextTokensPerStream, maximumStreams } from './settings.ts'
import { streamChat } from './stream-chat.ts'

const modelId = 'bench/chat'

/** inferd over HTTP, with a data folder that holds the benchmark's model alone. */
export class InferdPeer implements Peer {
  readonly name = 'inferd'
  readonly description: string
  readonly #command: readonly string[]
  readonly #options: readonly string[]
  readonly #model: string
  #server: InferdServer | undefined

  constructor(settings: BenchSettings, model: string) {
    const streams = maximumStreams(settings)
    this.#command = settings.inferd
    this.#model = model
    this.#options = [
      ...['--parallel', `${streams}`, '--context-tokens', `${streams * contextTokensPerStream(settings)}`],
      ...['--request-tokens', `${contextTokensPerStream(settings)}`],
      ...['--threads', `${settings.threads}`, '--device', 'cpu'],
      ...settings.inferdArgs,
    ]
    this.description = `${settings.inferd.join(' ')} serve ${this.#options.join(' ')}`
  }

  async start(): Promise<number> {
    this.#server = await startInferd(this.#command, this.#options, (_, run) =>
      run(['import', this.#model, '--id', modelId]),
    )
    return this.#server.startMs
  }

  run(jobs: readonly Job[]): Promise<JobResult[]> {
    const server = this.#server
    if (server === undefined) throw new Error('not started')
    return Promise.all(jobs.map((job) => streamChat({ ...server, model: modelId }, job)))
  }

  processes(): PeerProcesses {
    if (this.#server === undefined) return {}
    const server = this.#server.pid
    const [engine] = childrenOf(server)
    return engine === undefined ? { server } : { server, engine }
  }

  async stop(): Promise<void> {
    await this.#server?.stop()
    this.#server = undefined
  }
}
