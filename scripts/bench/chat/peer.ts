import type { Job, JobResult } from './job.ts'
import type { ChatTarget } from './stream-chat.ts'

/** Settings that a peer is run with. */
export interface PeerOptions {
  readonly model: string
  /** Path of a vision model's projector, which encodes pictures. */
  readonly projector?: string
  readonly threads: number
  /** Device that inferd computes on. Defaults to the CPU. */
  readonly device?: string
  /** Number of parallel streams, and the context of each. Defaults to the server's own sizes. */
  readonly sized?: { readonly streams: number; readonly contextTokens: number }
  /** True to use the model in its place, without the import that reads all of it. */
  readonly isInPlace?: boolean
  /** File to which the log is added when the peer has ended. */
  readonly logFile?: string
  /** Arguments after the benchmark's own. */
  readonly more: readonly string[]
}

/** Processes of a running peer, for memory and CPU figures. */
export interface PeerProcesses {
  /** Process that answers HTTP. Absent if the engine does that itself. */
  readonly server?: number
  readonly engine?: number
}

/** Program that generates text, started and stopped once per round. */
export interface Peer {
  readonly name: string
  /** Command line for the report. */
  readonly description: string
  /** Resolves with the start's milliseconds when it accepts requests. Rejects with its output if it dies. */
  start(): Promise<number>
  /** Runs all jobs side by side. */
  run(jobs: readonly Job[]): Promise<JobResult[]>
  processes(): PeerProcesses
  /** Resolves when all its processes have ended. */
  stop(): Promise<void>
}

/** Peer that is a server of chat completions. */
export interface ServerPeer extends Peer {
  /** Returns the target of requests. Throws if it has not started. */
  target(): ChatTarget
}

/** Stops the peers on a signal, so that an interrupted benchmark leaves no servers. */
export function stopOnSignal(peers: readonly Pick<Peer, 'stop'>[]): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => Promise.all(peers.map((peer) => peer.stop())).finally(() => process.exit(1)))
  }
}
