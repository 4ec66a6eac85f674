import { join } from 'node:path'
import type { Subprocess } from 'bun'
import type { Job, JobResult } from './job.ts'
import type { ChildReply, LoadRequest, RunRequest } from './node-llama-cpp-child.ts'
import type { Peer, PeerProcesses } from './peer.ts'

export interface NodeLlamaCppOptions {
  readonly model: string
  readonly threads: number
  /** Context of each sequence. */
  readonly contextTokens: number
}

/** node-llama-cpp's `sequence.evaluate` with one sequence per job, in a separate process without HTTP. */
export class NodeLlamaCppPeer implements Peer {
  readonly name = 'node-llama-cpp'
  readonly description: string
  readonly #options: NodeLlamaCppOptions
  #process: Subprocess | undefined
  #replies: ((reply: ChildReply) => void)[] = []

  constructor(options: NodeLlamaCppOptions) {
    this.#options = options
    this.description = `node-llama-cpp sequence.evaluate, ${options.threads} threads, as many sequences as streams, no HTTP`
  }

  async start(): Promise<number> {
    const startMs = performance.now()
    this.#process = Bun.spawn([process.execPath, join(import.meta.dir, 'node-llama-cpp-child.ts')], {
      stdio: ['ignore', 'ignore', 'ignore'],
      serialization: 'advanced',
      ipc: (reply: ChildReply) => this.#replies.shift()?.(reply),
      onExit: (_child, exitCode, signal) => {
        for (const settle of this.#replies.splice(0)) {
          settle({ type: 'failed', message: `the process ended with ${signal ?? exitCode}` })
        }
      },
    })
    await this.#ask({ type: 'load', ...this.#options })
    return performance.now() - startMs
  }

  async run(jobs: readonly Job[]): Promise<JobResult[]> {
    const reply = await this.#ask({ type: 'run', jobs })
    return reply.type === 'results' ? [...reply.results] : []
  }

  processes(): PeerProcesses {
    return this.#process === undefined ? {} : { engine: this.#process.pid }
  }

  async stop(): Promise<void> {
    this.#process?.kill()
    await this.#process?.exited
  }

  async #ask(request: LoadRequest | RunRequest): Promise<ChildReply> {
    const reply = await new Promise<ChildReply>((resolve) => {
      this.#replies.push(resolve)
      this.#process?.send(request)
    })
    if (reply.type === 'failed') throw new Error(`node-llama-cpp: ${reply.message}`)
    return reply
  }
}
