/** Table of all kinds of work that engines do: request, events, models and payment. */
import type { ChatOutput, ChatRequest } from './chat.ts'
import type { DrawnImage, DrawRequest } from './draw.ts'
import type { ModelType } from './model.ts'
import type { ModerateRequest, Verdict } from './moderation.ts'
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
import type { TokensOutput, TokensRequest } from './tokens.ts'
import type { Dimension, FinishEvent, StartEvent } from './usage.ts'

/** Request of each kind, and its events between `start` and `finish`. */
interface WorkTypes {
  readonly chat: { readonly request: ChatRequest; readonly output: ChatOutput }
  /** Counts a chat's prompt. Its `start` event has the number. */
  readonly count: { readonly request: ChatRequest; readonly output: never }
  /** Lists of tokens, pieces of a text, or facts of the tokenizer. */
  readonly tokens: { readonly request: TokensRequest; readonly output: TokensOutput }
  /** One verdict for each content. For models that chat `inference/moderate.ts` asks engines for chats instead. */
  readonly moderate: { readonly request: ModerateRequest; readonly output: Verdict }
  /** One event with the vectors of all inputs. */
  readonly embed: { readonly request: EmbedRequest; readonly output: Vectors }
  /** One event with the scores of all documents. */
  readonly rerank: { readonly request: RerankRequest; readonly output: Scores }
  /** Segments as they are made, then the speakers' turns if they are requested. */
  readonly transcribe: {
    readonly request: TranscribeRequest
    readonly output: TranscriptSegment | SpokenLanguage | SpeakerTurns
  }
  /** One event with all turns. */
  readonly diarize: { readonly request: DiarizeRequest; readonly output: SpeakerTurns }
  /** Audio as it is made. */
  readonly speak: { readonly request: SpeakRequest; readonly output: SpokenAudio }
  /** One event for each picture. */
  readonly draw: { readonly request: DrawRequest; readonly output: DrawnImage }
}

export type WorkKind = keyof WorkTypes

/** Request together with its kind. A union for several kinds. */
export type Work<Kind extends WorkKind = WorkKind> = {
  [Each in Kind]: { readonly kind: Each; readonly request: WorkTypes[Each]['request'] }
}[Kind]

/** One `start`, any number of outputs, one `finish`. A failure is thrown instead of being an event. */
export type WorkEvent<Kind extends WorkKind = WorkKind> = StartEvent | WorkTypes[Kind]['output'] | FinishEvent

/**
 * `ahead`: the maximum price is held before anything is computed. `slices`: the minimum price is held first, and more
 * of the named dimension as the work proceeds.
 */
type PaidHow = 'free' | 'ahead' | { readonly slices: Dimension }

export interface KindOfWork {
  /** Types of models that do the work. */
  readonly modelTypes: readonly ModelType[]
  readonly paid: PaidHow
  /** Most requests of this kind that wait: as configured, an eighth of that, or as many as the engine allows. */
  readonly waiting: 'places' | 'few-places' | 'by-engine'
  /** Fields of the request that may be large. They are sent to the engine in pieces. */
  readonly largeFields: readonly string[]
}

const chatTypes = ['chat', 'vision'] as const
const conversation = ['messages', 'tools', 'prompts'] as const

export const kindsOfWork: Readonly<Record<WorkKind, KindOfWork>> = {
  chat: { modelTypes: chatTypes, paid: { slices: 'completionTokens' }, waiting: 'places', largeFields: conversation },
  count: { modelTypes: chatTypes, paid: 'free', waiting: 'few-places', largeFields: conversation },
  tokens: {
    modelTypes: chatTypes,
    paid: 'free',
    waiting: 'few-places',
    largeFields: [...conversation, 'text', 'tokens'],
  },
  moderate: {
    modelTypes: [...chatTypes, 'moderation'],
    paid: 'ahead',
    waiting: 'places',
    largeFields: conversation,
  },
  embed: { modelTypes: ['embedding'], paid: 'ahead', waiting: 'by-engine', largeFields: ['inputs'] },
  rerank: { modelTypes: ['rerank'], paid: 'ahead', waiting: 'by-engine', largeFields: ['query', 'documents'] },
  transcribe: { modelTypes: ['stt'], paid: 'ahead', waiting: 'places', largeFields: [] },
  /** Speaker labels for a transcription, which is charged itself. */
  diarize: { modelTypes: ['stt'], paid: 'free', waiting: 'places', largeFields: [] },
  speak: { modelTypes: ['tts'], paid: 'ahead', waiting: 'places', largeFields: [] },
  draw: { modelTypes: ['image'], paid: 'ahead', waiting: 'places', largeFields: [] },
}
