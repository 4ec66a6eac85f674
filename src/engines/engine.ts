/** What an engine child runs: one loaded model, by the kind of work it does. */
import type { ChatEvent, ChatRequest } from '../core/chat.ts'
import type { EncodeEvent, EncodeRequest } from '../core/encode.ts'
import type { InstalledModel } from '../core/model.ts'
import type {
  EngineEvent,
  EngineInfo,
  EngineOptions,
  EngineStats,
  RequestEvent,
  RuntimePaths,
  TokenGrant,
} from './protocol.ts'

interface AnyEngine {
  readonly info: EngineInfo
  /** Allows the work, or more tokens of an answer; unknown ids are ignored. */
  grant(id: number, grant: TokenGrant): void
  /** Stops work on a request before the next step: `cancelled` is the last that comes of it. Unknown ids are ignored. */
  cancel(id: number): void
  stats(): EngineStats
}

export interface ChatEngine extends AnyEngine {
  /**
   * Takes a request; everything about it comes through `emit`, its end too. It is prepared, and computed as far as it is
   * granted. Never throws.
   */
  chat(id: number, accountId: string, request: ChatRequest): void
  /** Emits the `start` that `chat` would, and ends; a prompt longer than the context is counted too. Never throws. */
  count(id: number, accountId: string, request: ChatRequest): void
}

export interface EncodeEngine extends AnyEngine {
  /** Takes a request whose texts are computed once they are granted; all of it comes through `emit`. Never throws. */
  encode(id: number, accountId: string, request: EncodeRequest): void
}

export type Engine = AnyEngine & Partial<ChatEngine & EncodeEngine>

export interface EngineSetup<Event extends EngineEvent = ChatEvent> {
  readonly model: InstalledModel
  readonly options: EngineOptions
  readonly runtime: RuntimePaths
  /** The last load killed the child: leave out what is known to do so with some models. */
  readonly isCautious: boolean
  /** Sends events to the parent, in order. */
  readonly emit: (events: readonly RequestEvent<Event>[]) => void
}

/** Loads the model. The error's message goes to the operator. */
export type LoadEngine = (setup: EngineSetup<EngineEvent>) => Promise<Engine>
export type LoadChatEngine = (setup: EngineSetup) => Promise<ChatEngine>
export type LoadEncodeEngine = (setup: EngineSetup<EncodeEvent>) => Promise<EncodeEngine>
