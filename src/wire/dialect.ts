/** The interface of all dialects, so that one route can serve them: from a body to a request, from events to bytes. */
import type { TObject } from '@sinclair/typebox'
import type { ChatEvent, ChatRequest } from '../core/chat.ts'
import type { ApiError } from '../core/errors.ts'
import type { NewId } from '../core/ids.ts'
import type { ModelManifest } from '../core/model.ts'
import type { TranscribeRequest } from '../core/speech.ts'
import type { TextLimits } from '../core/texts.ts'
import type { Work, WorkEvent, WorkKind } from '../core/work.ts'

/** A request body in canonical form. Dialects add what their answers need. */
export interface WorkCall {
  /** A body with a recording gives all fields but that. */
  readonly request: Work['request'] | Omit<TranscribeRequest, 'audio'>
  /** The answer is sent as it is made. */
  readonly stream?: boolean
  /** Time that the model stays loaded without a request after this one, where the client says so. Infinity: for ever. */
  readonly keepAliveMs?: number
  /** True if nothing is computed: the model is only loaded, or no longer kept. */
  readonly isEmpty?: boolean
}

export interface ChatCall extends WorkCall {
  /** Canonical id or alias, in the client's spelling. */
  readonly model: string
  readonly stream: boolean
  readonly request: ChatRequest
}

/** Values that an answer takes from the server rather than from the request. */
export interface AnswerContext {
  readonly newId: NewId
  /** Unix time in seconds. */
  readonly created: number
  /** The time later on, in the same unit. */
  readonly now: () => number
  /** The time later on, as RFC 3339 text. */
  readonly nowText: () => string
  /** Time since the request arrived, in milliseconds and parts of them; never goes back. */
  readonly elapsedMs: () => number
  /** Changes when the same seed may give other text: a new version of the server. */
  readonly fingerprint: string
  /** The `request-id` that the answer's header carries. */
  readonly requestId: string
  /** Address of the page on an error code. */
  readonly docsUrl: (code: string) => string
  /** Chats show thinking in OpenRouter's fields too, whether or not the request asks for that. */
  readonly repeatsReasoning: boolean
  /** Takes the items of an answer that later requests may refer to. */
  readonly keepItem: (item: AnswerItem) => void
}

/** A part of an answer that has an id, in the words of its dialect. */
export interface AnswerItem {
  readonly id: string
  readonly [field: string]: unknown
}

/** The item of an earlier answer with this id, undefined when it is not known. */
export type FindItem = (id: string) => object | undefined

/** Text goes out as UTF-8. */
export type AnswerPiece = string | Uint8Array

/** Content type and headers that precede an answer. */
export interface AnswerHead {
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Turns the events of one request into the pieces of an answer that is sent as it is made. Synchronous; used for one request. */
export interface AnswerEncoder<Event extends WorkEvent> {
  /** Head of the answer. Absent means an event stream. */
  readonly head?: AnswerHead
  /** Pieces to send now; often one, sometimes none. Until the first one, what fails is still a status. */
  push(event: Event): readonly AnswerPiece[]
  /** Pieces that close an answer that ended well. */
  end(): readonly AnswerPiece[]
  /**
   * Returns the pieces that close an answer that failed after its start. Absent if its type has no words for that; the
   * connection breaks off.
   */
  fail?(error: ApiError): readonly AnswerPiece[]
  /** The client went away: nothing more is sent. */
  abandon?(): void
  /** Returns a piece that shows proxies and clients that the connection lives. Absent if the type has none. */
  keepAlive?(): AnswerPiece
  /**
   * Piece that precedes all others and tells their size, as a WAV header does. With it, the pieces are kept in a file
   * until the last is there, and sent then.
   */
  prefix?(sizeBytes: number): AnswerPiece
}

/** Turns the events of one request into the frames of an event stream. */
export interface StreamEncoder<Event extends WorkEvent = ChatEvent> extends AnswerEncoder<Event> {
  push(event: Event): string[]
  end(): string[]
  fail(error: ApiError): string[]
  keepAlive(): string
}

/** Gathers the events of one request into the answer that is sent when nothing is streamed. */
export interface AnswerCollector<Event extends WorkEvent = ChatEvent> {
  push(event: Event): void
  /** The whole answer, as JSON of an object or in pieces of which none takes long to make; call it after the last event. */
  end(): object | Iterable<string>
  /** Head of an answer that is not JSON, or has further headers; call it after the last piece of `end`. */
  head?(): AnswerHead
}

/** Reads the bodies of one endpoint. */
export interface BodyReader<Call> {
  /** The endpoint as its callers know it, e.g. `chat/completions`. */
  readonly endpoint: string
  /** Kind of work that its requests ask for. */
  readonly kind: WorkKind
  /** Schema of the bodies, as far as one says it. */
  readonly body: TObject
  /** Field of the form (`multipart/form-data`) that is a recording. Absent for JSON bodies. */
  readonly file?: string
  /** True to read bodies of any content type as JSON. */
  readonly takesAnyType?: boolean
  /** Translates a whole body. Throws ApiError 400 whose `param` is the dotted path of the wrong field. */
  readonly parse: (body: unknown, findItem?: FindItem) => Call
}

/** A dialect: from a body to work, and from the events of that work to an answer. */
export interface WorkDialect<Call extends WorkCall, Event extends WorkEvent> extends BodyReader<Call> {
  /** Types of its answers; JSON, and an event stream where there is an encoder, unless they are given. */
  readonly answers?: readonly string[]
  /** Throws ApiError if the model cannot do what only this dialect promises, or the call is beyond the server's limits. */
  readonly require?: (call: Call, manifest: ModelManifest, limits: TextLimits) => void
  /** Returns the client's name for the part of the request that the engine calls `param`. Absent if it is the same. */
  readonly toCallersParam?: (call: Call, param: string) => string
  readonly collector: (call: Call, context: AnswerContext) => AnswerCollector<Event>
  /** For calls whose answer is sent as it is made. */
  readonly encoder?: (call: Call, context: AnswerContext) => AnswerEncoder<Event>
  /** The answer to a call that is empty. */
  readonly emptyAnswer?: (call: Call, context: AnswerContext) => object
}

export interface ChatDialect<Call extends ChatCall> extends WorkDialect<Call, ChatEvent> {
  readonly encoder: (call: Call, context: AnswerContext) => StreamEncoder
}

export type CountDialect = WorkDialect<WorkCall, WorkEvent<'count'>>

/** Collects the answer to a count. `toAnswer` converts the number of tokens. */
export function countCollector(toAnswer: (tokens: number) => object): CountDialect['collector'] {
  return () => {
    let tokens = 0
    return {
      push: (event) => {
        if (event.type === 'start') tokens = event.promptTokens
      },
      end: () => toAnswer(tokens),
    }
  }
}
