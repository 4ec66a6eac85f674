/** POST /api/embed, and the older /api/embeddings for a single text. */
import { Type } from '@sinclair/typebox'
import type { EmbedRequest, Vectors } from '../../core/texts.ts'
import type { WorkEvent } from '../../core/work.ts'
import {
  check,
  invalidValue,
  modelField,
  optionalAny,
  optionalFlag,
  optionalInteger,
  optionalText,
  presentFields,
} from '../check.ts'
import type { AnswerCollector, AnswerContext } from '../dialect.ts'
import { vectorPieces } from '../embeddings/dialect.ts'
import { toArrayJson } from '../embeddings/number-types.ts'
import { parseInput } from '../embeddings/parse-input.ts'
import type { TextsCall } from '../texts-dialect.ts'
import { AnswerTimes } from './answer-times.ts'
import { parseKeepAlive } from './keep-alive.ts'

const commonFields = { ...modelField, options: optionalAny, keep_alive: optionalAny }

export const OllamaEmbedBody = Type.Object({
  ...commonFields,
  input: Type.Optional(Type.Unknown({ description: 'a text or an array of texts' })),
  truncate: optionalFlag,
  dimensions: optionalInteger(0),
})

export const OllamaEmbeddingsBody = Type.Object({ ...commonFields, prompt: optionalText })

export interface OllamaEmbedCall extends TextsCall {
  readonly request: EmbedRequest
  readonly keepAliveMs?: number
  /** True if there is no text: the model is only loaded. */
  readonly isEmpty: boolean
  /** True if `input` was one text, not an array. */
  readonly isSingle: boolean
}

/** Translates a whole body. Throws ApiError 400 or 413 whose `param` is the dotted path of the wrong field. */
export function parseOllamaEmbed(body: unknown): OllamaEmbedCall {
  const { model, input = [], truncate = true, dimensions, keep_alive } = check(OllamaEmbedBody, presentFields(body))
  const wanted = { ...(truncate && { truncate: 'end' as const }), ...(dimensions !== 0 && { dimensions }) }
  return toCall(model, input, keep_alive, wanted)
}

/** Translates a body with `prompt`, a single text. Texts that are too long are cut. */
export function parseOllamaEmbeddings(body: unknown): OllamaEmbedCall {
  const { model, prompt = '', keep_alive } = check(OllamaEmbeddingsBody, presentFields(body))
  return toCall(model, prompt, keep_alive, { truncate: 'end' })
}

function toCall(
  model: string,
  input: unknown,
  keepAlive: unknown,
  wanted: Omit<EmbedRequest, 'inputs'>,
): OllamaEmbedCall {
  const { inputs, isSingle } = textsOf(input)
  const keepAliveMs = parseKeepAlive(keepAlive)
  const request = { inputs, ...wanted }
  return { model, isEmpty: inputs.length === 0, isSingle, request, ...(keepAliveMs !== undefined && { keepAliveMs }) }
}

/** Returns the texts. Empty input is allowed, token ids are not. */
function textsOf(input: unknown): Pick<EmbedRequest, 'inputs'> & { readonly isSingle: boolean } {
  if (input === '' || (Array.isArray(input) && input.length === 0)) return { inputs: [], isSingle: false }
  const first: unknown = Array.isArray(input) ? input[0] : input
  if (typeof first !== 'string') throw invalidValue('input', 'a text or an array of texts')
  return parseInput(input)
}

export function toCallersInput({ isSingle }: OllamaEmbedCall, param: string): string {
  return isSingle ? param.replace(/^input\[0\]/, 'input') : param
}

/** Gathers the vectors. */
export function embedCollector(
  { model }: OllamaEmbedCall,
  context: AnswerContext,
): AnswerCollector<WorkEvent<'embed'>> {
  const times = new AnswerTimes(context)
  let vectors: Vectors | undefined
  let promptTokens = 0
  return {
    push: (event) => {
      times.saw(event)
      if (event.type === 'vectors') vectors = event
      if (event.type === 'finish') promptTokens = event.usage.promptTokens
    },
    *end() {
      const { total, load } = times.nanoseconds()
      const counts = { total_duration: total, load_duration: load, prompt_eval_count: promptTokens }
      yield `{"model":${JSON.stringify(model)},"embeddings":`
      yield* vectorPieces(computed(vectors), 'float')
      yield `,${JSON.stringify(counts).slice(1)}`
    },
  }
}

/** Returns the collector of the answer to a single text. */
export function embeddingsCollector(): AnswerCollector<WorkEvent<'embed'>> {
  let vectors: Vectors | undefined
  return {
    push: (event) => {
      if (event.type === 'vectors') vectors = event
    },
    end: () => [`{"embedding":${toArrayJson(computed(vectors).values)}}`],
  }
}

function computed(vectors: Vectors | undefined): Vectors {
  if (vectors === undefined) throw new Error('the engine ended without a result: this is a bug')
  return vectors
}
