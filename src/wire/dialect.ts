/**
 * Common interface of all dialects, so that one route can serve them: from a body to a request, from events to bytes.
 */
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
  /** Request to the engine. A form with a recording gives all fields but the recording. */
  readonly request: Work['request'] | Omit<TranscribeRequest, 'audio'>
  /** True to send the answer while it is made. */
  readonly stream?: boolean
  /** Time that the model stays loaded without further requests, if the client sets it. Infinity means forever. */
  readonly keepAliveMs?: number
  /** True if nothing is computed: the model is only loaded or unloaded. */
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
  /** Unix time in seconds */
  readonly created: number
  /** Returns the present time in the same unit. */
  readonly now: () => number
  /** Returns the present time as RFC 3339 text. */
  readonly nowText: () => string
  /** Returns the time since the request arrived, in milliseconds with fractions. Never decreases. */
  readonly elapsedMs: () => number
  /** Fingerprint that changes when the same seed may give other text: with each version of the server */
  readonly fingerprint: string
  /** Canonical id of the model that answers */
  readonly modelId: string
  /** Request id, as in the answer's header */
  readonly requestId: string
  /** Returns the address of the page on an error code. */
  readonly docsUrl: (code: string) => string
  /** True to show thinking in OpenRouter's fields too in chats, even if not requested. */
  readonly repeatsReasoning: boolean
  /** Keeps an item of an answer, to which later requests may refer. */
  readonly keepItem: (item: AnswerItem) => void
}

/** Part of an answer that has an id, in its dialect's form */
export interface AnswerItem {
  readonly id: string
  readonly [field: string]: unknown
}

/** Returns the item of an earlier answer with this id; undefined if it is unknown. */
export type FindItem = (id: string) => object | undefined

/** Piece of an answer. Text is sent as UTF-8. */
export type AnswerPiece = string | Uint8Array

/** Content type and headers that precede an answer. */
export interface AnswerHead {
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Turns the events of one request into the pieces of an answer that is sent while it is made. Synchronous; for one
 * request.
 */
export interface AnswerEncoder<Event extends WorkEvent> {
  /** Head of the answer. Absent means an event stream. */
  readonly head?: AnswerHead
  /**
   * Returns the pieces to send now: often one, sometimes none. Before the first one, failures still become a status.
   */
  push(event: Event): readonly AnswerPiece[]
  /** Returns the pieces that close a complete answer. */
  end(): readonly AnswerPiece[]
  /**
   * Returns the pieces that close an answer that failed after its start. Absent for formats that cannot express that:
   * the connection breaks off.
   */
  fail?(error: ApiError): readonly AnswerPiece[]
  /** Called when the client has disconnected: nothing more is sent. */
  abandon?(): void
  /** Returns a piece that shows proxies and clients that the connection lives. Absent if the format has none. */
  keepAlive?(): AnswerPiece
  /**
   * Returns the piece that precedes all others and states their size, as a WAV header does. With it, pieces are kept
   * in a file until the last one is there.
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

/** Gathers the events of one request into the answer for clients that do not stream. */
export interface AnswerCollector<Event extends WorkEvent = ChatEvent> {
  push(event: Event): void
  /**
   * Returns the whole answer: an object for JSON, or text in pieces that are each made quickly. Call it after the
   * last event.
   */
  end(): object | Iterable<string>
  /** Returns the head of an answer that is not JSON or has further headers. Call it after the last piece of `end`. */
  head?(): AnswerHead
}

/** Reads the bodies of one endpoint. */
export interface BodyReader<Call> {
  /** Endpoint as clients know it, such as `chat/completions` */
  readonly endpoint: string
  /** Kind of work that its requests ask for. */
  readonly kind: WorkKind
  /** Schema of the bodies, which may cover only a part of their rules */
  readonly body: TObject
  /** Field of the form (`multipart/form-data`) that is a recording. Absent for JSON bodies. */
  readonly file?: string
  /** True if bodies need not name a model where only one is installed. */
  readonly isModelOptional?: boolean
  /** Message of the 404 where no model of this server does the work. Absent: the model is said to be missing. */
  readonly off?: string
  /** True to read bodies of any content type as JSON. */
  readonly takesAnyType?: boolean
  /** Translates a whole body. Throws ApiError 400 whose `param` is the dotted path of the wrong field. */
  readonly parse: (body: unknown, findItem?: FindItem) => Call
}

/** A dialect: from a body to work, and from the events of that work to an answer. */
export interface WorkDialect<Call extends WorkCall, Event extends WorkEvent> extends BodyReader<Call> {
  /** Content types of the answers. Defaults to JSON, and an event stream if there is an encoder. */
  readonly answers?: readonly string[]
  /**
   * Throws ApiError if the model lacks something that only this dialect promises, or the call exceeds the server's
   * limits.
   */
  readonly require?: (call: Call, manifest: ModelManifest, limits: TextLimits) => void
  /** Returns the client's name for the part of the request that the engine calls `param`. Absent if it is the same. */
  readonly toCallersParam?: (call: Call, param: string) => string
  readonly collector: (call: Call, context: AnswerContext) => AnswerCollector<Event>
  /** Creates the encoder of an answer that is sent while it is made. */
  readonly encoder?: (call: Call, context: AnswerContext) => AnswerEncoder<Event>
  /** Returns the answer to an empty call. */
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
