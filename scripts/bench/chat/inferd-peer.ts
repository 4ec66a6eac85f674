import { describeModel, type InferdServer, startInferd } from '../../shared/inferd-server.ts'
import { childrenOf } from '../../shared/process-usage.ts'
import type { Job, JobResult } from './job.ts'
import type { PeerOptions, PeerProcesses, ServerPeer } from './peer.ts'
import { type ChatTarget, streamChat } from './stream-chat.ts'

const modelId = 'bench/chat'

/** KV cache: one per stream, one for all, or inferd's own choice. */
export type CacheChoice = 'each' | 'one' | 'default'

const names: Readonly<Record<CacheChoice, string>> = {
  each: 'inferd',
  one: 'inferd-one-cache',
  default: 'inferd-default',
}

/** inferd over HTTP, with only the benchmark's model in its data folder. */
export class InferdPeer implements ServerPeer {
  readonly name: string
  readonly description: string
  readonly #command: readonly string[]
  readonly #options: readonly string[]
  readonly #prepare: Parameters<typeof startInferd>[2]
  readonly #logFile: string | undefined
  #server: InferdServer | undefined

  constructor(command: readonly string[], options: PeerOptions, cache: CacheChoice = 'each') {
    this.name = names[cache]
    const { model, projector, threads, device = 'cpu', sized, isInPlace = false, logFile, more } = options
    const files = projector === undefined ? [model] : [model, '--mmproj', projector]
    this.#command = command
    this.#logFile = logFile
    this.#prepare = (data, run) =>
      isInPlace ? describeModel(data, modelId, model) : run(['import', ...files, '--id', modelId])
    this.#options = [
      ...(sized === undefined ? [] : sizes(sized, cache)),
      ...['--threads', `${threads}`, '--device', device],
      ...more,
    ]
    this.description = `${command.join(' ')} serve ${this.#options.join(' ')}`
  }

  async start(): Promise<number> {
    this.#server = await startInferd(this.#command, this.#options, this.#prepare, this.#logFile)
    return this.#server.startMs
  }

  run(jobs: readonly Job[]): Promise<JobResult[]> {
    return Promise.all(jobs.map((job) => streamChat(this.target(), job)))
  }

  target(): ChatTarget {
    return { ...this.server(), model: modelId }
  }

  /** Returns the server. Throws if it has not started. */
  server(): InferdServer {
    if (this.#server === undefined) throw new Error('not started')
    return this.#server
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

function sizes({ streams, contextTokens }: NonNullable<PeerOptions['sized']>, cache: CacheChoice): string[] {
  const all = streams * contextTokens
  const requestTokens = { each: [contextTokens], one: [all], default: [] }[cache]
  return [
    ...['--parallel', `${streams}`, '--context-tokens', `${all}`],
    ...requestTokens.flatMap((tokens) => ['--request-tokens', `${tokens}`]),
  ]
}
