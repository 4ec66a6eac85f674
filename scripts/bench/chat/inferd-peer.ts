import { type InferdServer, startInferd } from '../../shared/inferd-server.ts'
import { childrenOf } from '../../shared/process-usage.ts'
import type { Job, JobResult } from './job.ts'
import type { PeerOptions, PeerProcesses, ServerPeer } from './peer.ts'
import { type ChatTarget, streamChat } from './stream-chat.ts'

const modelId = 'bench/chat'

/** inferd over HTTP, with a data folder that holds the benchmark's model alone. */
export class InferdPeer implements ServerPeer {
  readonly name: string
  readonly description: string
  readonly #command: readonly string[]
  readonly #options: readonly string[]
  readonly #files: readonly string[]
  #server: InferdServer | undefined

  /** `isShared`: one cache for all, which is the default, instead of a part of it for each stream. */
  constructor(command: readonly string[], options: PeerOptions, isShared = false) {
    this.name = isShared ? 'inferd-default' : 'inferd'
    const { model, projector, threads, device = 'cpu', sized, more } = options
    this.#command = command
    this.#files = projector === undefined ? [model] : [model, '--mmproj', projector]
    this.#options = [
      ...(sized === undefined ? [] : sizes(sized, isShared)),
      ...['--threads', `${threads}`, '--device', device],
      ...more,
    ]
    this.description = `${command.join(' ')} serve ${this.#options.join(' ')}`
  }

  async start(): Promise<number> {
    this.#server = await startInferd(this.#command, this.#options, (_, run) =>
      run(['import', ...this.#files, '--id', modelId]),
    )
    return this.#server.startMs
  }

  run(jobs: readonly Job[]): Promise<JobResult[]> {
    return Promise.all(jobs.map((job) => streamChat(this.target(), job)))
  }

  target(): ChatTarget {
    if (this.#server === undefined) throw new Error('not started')
    return { ...this.#server, model: modelId }
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

function sizes({ streams, contextTokens }: NonNullable<PeerOptions['sized']>, isShared: boolean): string[] {
  const cache = ['--parallel', `${streams}`, '--context-tokens', `${streams * contextTokens}`]
  return isShared ? cache : [...cache, '--request-tokens', `${contextTokens}`]
}
