/** Every kind of work of engines, named once: request, events, models and payment. */
import type { ChatOutput, ChatRequest } from './chat.ts'
import type { ModelType } from './model.ts'
import type {
  DiarizeRequest,
  SpeakerTurns,
  SpeakRequest,
  SpokenAudio,
  SpokenLanguage,
  TranscribeRequest,
  TranscriptSegment,
} from './speech.ts'
import type { EmbedRequest, RerankRequest, Scores, Vectors } from './texts.ts'
import type { Consumption, FinishEvent, StartEvent } from './usage.ts'

/** Kind -> its request, and the events between `start` and `finish`. */
interface WorkTypes {
  readonly chat: { readonly request: ChatRequest; readonly output: ChatOutput }
  /** The length of a chat's prompt, which its `start` tells. */
  readonly count: { readonly request: ChatRequest; readonly output: never }
  /** One event with the vectors of all inputs. */
  readonly embed: { readonly request: EmbedRequest; readonly output: Vectors }
  /** One event with the scores of all documents. */
  readonly rerank: { readonly request: RerankRequest; readonly output: Scores }
  /** Segments as they are made; the turns of the speakers, where they are wanted, after the last. */
  readonly transcribe: {
    readonly request: TranscribeRequest
    readonly output: TranscriptSegment | SpokenLanguage | SpeakerTurns
  }
  /** One event with all turns. */
  readonly diarize: { readonly request: DiarizeRequest; readonly output: SpeakerTurns }
  /** Audio as it is made. */
  readonly speak: { readonly request: SpeakRequest; readonly output: SpokenAudio }
}

export type WorkKind = keyof WorkTypes

/** A request together with its kind. Of several kinds: a union. */
export type Work<Kind extends WorkKind = WorkKind> = {
  [Each in Kind]: { readonly kind: Each; readonly request: WorkTypes[Each]['request'] }
}[Kind]

/** One `start`, any number of outputs, one `finish`. A failure is thrown instead of being an event. */
export type WorkEvent<Kind extends WorkKind = WorkKind> = StartEvent | WorkTypes[Kind]['output'] | FinishEvent

/**
 * `ahead`: the price of all that it may consume is held before anything is computed. `slices`: that of what it consumes at
 * least is, and more of the dimension that grows as the work goes on.
 */
type PaidHow = 'free' | 'ahead' | { readonly slices: keyof Consumption }

export interface KindOfWork {
  /** Types of models that do it. */
  readonly modelTypes: readonly ModelType[]
  readonly paid: PaidHow
  /** Places where requests wait for a slot: all of them, few, or as many as the engine itself limits. */
  readonly waiting: 'places' | 'few-places' | 'by-engine'
  /** Fields of the request that can be large: they go to the engine in pieces. */
  readonly largeFields: readonly string[]
}

const chatTypes = ['chat', 'vision'] as const
const conversation = ['messages', 'tools', 'prompts'] as const

export const kindsOfWork: Readonly<Record<WorkKind, KindOfWork>> = {
  chat: { modelTypes: chatTypes, paid: { slices: 'completionTokens' }, waiting: 'places', largeFields: conversation },
  count: { modelTypes: chatTypes, paid: 'free', waiting: 'few-places', largeFields: conversation },
  embed: { modelTypes: ['embedding'], paid: 'ahead', waiting: 'by-engine', largeFields: ['inputs'] },
  rerank: { modelTypes: ['rerank'], paid: 'ahead', waiting: 'by-engine', largeFields: ['query', 'documents'] },
  transcribe: { modelTypes: ['stt'], paid: 'ahead', waiting: 'places', largeFields: [] },
  /** Part of a transcription, which pays for it. */
  diarize: { modelTypes: ['stt'], paid: 'free', waiting: 'places', largeFields: [] },
  speak: { modelTypes: ['tts'], paid: 'ahead', waiting: 'places', largeFields: [] },
}
