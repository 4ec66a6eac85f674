import type { Job, JobResult } from './job.ts'
import type { ChatTarget } from './stream-chat.ts'

/** Settings that a peer is run with. */
export interface PeerOptions {
  readonly model: string
  /** The part of a vision model that encodes pictures. */
  readonly projector?: string
  readonly threads: number
  /** Device that inferd computes on; the CPU without it. */
  readonly device?: string
  /** Side by side, and the context of each; absent: as the server does by default. */
  readonly sized?: { readonly streams: number; readonly contextTokens: number }
  /** The model is used where it lies, without the import that reads all of it. */
  readonly isInPlace?: boolean
  /** The log is added to this file when the peer has ended. */
  readonly logFile?: string
  /** Put after the benchmark's own arguments. */
  readonly more: readonly string[]
}

/** Processes of a running peer, for memory and CPU figures. */
export interface PeerProcesses {
  /** Answers HTTP; absent when the engine does that itself. */
  readonly server?: number
  readonly engine?: number
}

/** Something that generates text, started and stopped once per round. */
export interface Peer {
  readonly name: string
  /** Command line for the report. */
  readonly description: string
  /** Resolves when it takes requests, with the milliseconds that took. Rejects with its output when it dies. */
  start(): Promise<number>
  /** Runs all jobs side by side. */
  run(jobs: readonly Job[]): Promise<JobResult[]>
  processes(): PeerProcesses
  /** Resolves when every process of it has ended. */
  stop(): Promise<void>
}

/** A peer that is a server of chat completions. */
export interface ServerPeer extends Peer {
  /** Throws unless it has started. */
  target(): ChatTarget
}

/** An interrupted benchmark leaves no servers behind. */
export function stopOnSignal(peers: readonly Pick<Peer, 'stop'>[]): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => Promise.all(peers.map((peer) => peer.stop())).finally(() => process.exit(1)))
  }
}
