/** What embeddings and rerank offer, so that one route can serve both: from a body to a request, from a result to JSON. */
import type { NewId } from '../core/ids.ts'
import type { EmbedRequest, RerankRequest, Scores, Vectors } from '../core/texts.ts'
import type { BodyReader } from './dialect.ts'

/** A body in canonical form. Dialects add what their answers need. */
export interface TextsCall {
  /** As the client spelled it: canonical id or alias. */
  readonly model: string
  readonly request: EmbedRequest | RerankRequest
}

/** What an engine has made of a call. */
export interface ComputedTexts {
  readonly result: Vectors | Scores
  readonly promptTokens: number
}

export interface TextsDialect<Call extends TextsCall> extends BodyReader<Call> {
  readonly kind: 'embed' | 'rerank'
  /** The caller's name for the part of the request that the engine calls `param`. */
  readonly toCallersParam: (call: Call, param: string) => string
  /**
   * The body of the answer, in pieces of which none takes long to make. JSON when they are put together. Results of another
   * type than the request asks for are a bug.
   */
  readonly toAnswer: (call: Call, computed: ComputedTexts, newId: NewId) => Iterable<string>
}
