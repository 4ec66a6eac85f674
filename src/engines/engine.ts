/** What an engine child runs: one loaded model. Implemented by the llama and fake engines. */
import type { ChatRequest } from '../core/chat.ts'
import type { InstalledModel } from '../core/model.ts'
import type { EngineInfo, EngineOptions, EngineStats, RequestEvent, RuntimePaths, TokenGrant } from './protocol.ts'

export interface Engine {
  readonly info: EngineInfo
  /**
   * Takes a request; everything about it comes through `emit`, its end too. It is prepared, and computed as far as it is
   * granted. Never throws.
   */
  chat(id: number, accountId: string, request: ChatRequest): void
  /** Emits the `start` that `chat` would, and ends; a prompt longer than the context is counted too. Never throws. */
  count(id: number, accountId: string, request: ChatRequest): void
  /** Allows more tokens of an answer; unknown ids are ignored. */
  grant(id: number, grant: TokenGrant): void
  /** Stops work on a request before the next step: `cancelled` is the last that comes of it. Unknown ids are ignored. */
  cancel(id: number): void
  stats(): EngineStats
}

export interface EngineSetup {
  readonly model: InstalledModel
  readonly options: EngineOptions
  readonly runtime: RuntimePaths
  /** Sends events to the parent, in order. */
  readonly emit: (events: readonly RequestEvent[]) => void
}

/** Loads the model. The error's message goes to the operator. */
export type LoadEngine = (setup: EngineSetup) => Promise<Engine>
