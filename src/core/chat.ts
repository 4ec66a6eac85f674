/**
 * Canonical chat request and its events. Dialects (`wire/`) translate into and out of these; engines know only these.
 */
import type { Content, ImagePart, SoundPart, TextPart } from './content.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { FinishEvent, StartEvent } from './usage.ts'
import type { SearchOutcome, WebSearch } from './web-search.ts'

/** Tool call in an earlier assistant turn. */
export interface ToolCall {
  /** Id as given by the client, possibly unknown or not unique. */
  readonly id: string
  readonly name: string
  /** JSON text as the model wrote it: may be empty, cut or otherwise invalid. */
  readonly argumentsText: string
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: Content
  readonly name?: string
  /** Thinking of an earlier assistant turn, echoed back by the client. */
  readonly reasoning?: string
  /** Only on assistant messages; never empty. */
  readonly toolCalls?: readonly ToolCall[]
  /** Id of the call whose result a tool message holds. May name no call of this conversation. */
  readonly toolCallId?: string
}

/** Returns all pictures of a conversation in order. */
export function picturesOf(messages: readonly ChatMessage[]): readonly ImagePart[] {
  return messages.flatMap(({ content }) => content.filter((part) => part.type === 'image'))
}

/** Returns all pictures and recordings of a conversation in order. */
export function mediaOf(messages: readonly ChatMessage[]): readonly (ImagePart | SoundPart)[] {
  return messages.flatMap(({ content }) => content.filter((part) => part.type === 'image' || part.type === 'sound'))
}

/** Origin of a caller's JSON Schema. Its depth and size are limited, and its references stay inside it. */
export interface SchemaOrigin {
  /** Dotted path in the request's body, for errors. */
  readonly path: string
  /** True if the engine must refuse schemas that it cannot enforce. Otherwise it may leave those to the model. */
  readonly isStrict: boolean
}

export interface Tool {
  /** Unique within the request. */
  readonly name: string
  readonly description?: string
  /** JSON Schema of an object, as the caller wrote it. */
  readonly parameters: JsonObject
  /** Origin of the schema. Absent for schemas of the server itself, which any engine can enforce. */
  readonly parametersOrigin?: SchemaOrigin
}

/** `required` means at least one call, `none` only text. */
export interface ToolChoice {
  readonly mode: 'auto' | 'required' | 'none'
  /** Names of the tools that may be called, never empty. Absent allows all. The model sees all of them anyway. */
  readonly allowed?: readonly string[]
}

type ReasoningEffort = 'minimal' | 'low' | 'medium' | 'high'

/** Thinking settings of a request. Absent ones are decided by the model's alias, then by its manifest. */
export interface Reasoning {
  /** `off` applies to every model, even without a switch in its template. */
  readonly mode?: 'off' | 'on' | undefined
  /** Passed to templates that know efforts. */
  readonly effort?: ReasoningEffort | undefined
  /** Most tokens of thinking. The answer begins after them. */
  readonly budgetTokens?: number | undefined
  /** Mode requested from the template itself. Used if neither `mode` nor the alias sets one. */
  readonly templateMode?: 'off' | 'on' | undefined
}

/** Returns whether the model shall think; undefined leaves it to the model. An effort or a budget implies thinking. */
export function wantsThinking({ mode, templateMode, budgetTokens, effort }: Reasoning): boolean | undefined {
  // A template that can should leave out an empty block of thinking.
  if (budgetTokens === 0) return false
  const said = mode ?? templateMode
  if (said !== undefined) return said === 'on'
  return budgetTokens !== undefined || effort !== undefined ? true : undefined
}

/** Sampling settings. Undefined means the default in the model's manifest, else the engine's. */
export interface Sampling {
  /** 0..2; 0 is greedy. */
  readonly temperature?: number | undefined
  /** 0..1; 0 is greedy. */
  readonly topP?: number | undefined
  /** 0 = all of the vocabulary. */
  readonly topK?: number | undefined
  readonly minP?: number | undefined
  /** -2..2 */
  readonly presencePenalty?: number | undefined
  /** -2..2 */
  readonly frequencyPenalty?: number | undefined
  /** 0.01..100; 1 = off. */
  readonly repeatPenalty?: number | undefined
  /** Token id of the model's own vocabulary -> bias -100..100. */
  readonly logitBias?: readonly (readonly [token: number, bias: number])[] | undefined
  /** Unsigned 32-bit seed. Choice i of a prompt uses seed + i. Absent means random. */
  readonly seed?: number | undefined
}

/**
 * Text that the model continues without chat template, thinking or calls. Control tokens in a `text` are parsed, and it
 * begins as the model's own texts do. `fill` asks for the text between `prefix` and `suffix`. `param`: place in the
 * client's request, for errors.
 */
export type RawPrompt = { readonly param: string } & (
  | { readonly kind: 'text'; readonly text: string }
  /** Ids of the model's own vocabulary, used unchanged. */
  | { readonly kind: 'tokens'; readonly tokens: readonly number[] }
  | { readonly kind: 'fill'; readonly prefix: string; readonly suffix: string }
)

/** Limit on an answer that repeats the same piece without anything in between. */
export interface RepetitionLimit {
  /** Length of the piece. */
  readonly minPieceTokens: number
  readonly maxPieceTokens: number
  /** Number of occurrences, including the first; at least 2. */
  readonly minCount: number
  /** Least length of all repetitions together. */
  readonly minTokens: number
}

export interface ChatRequest {
  /** Messages of the conversation. Empty if there are prompts. */
  readonly messages: readonly ChatMessage[]
  /** Prompts in place of messages, tools and thinking; never empty. */
  readonly prompts?: readonly RawPrompt[] | undefined
  /** True to begin each choice with the text of its prompt, which is not of kind `fill`. Only with prompts. */
  readonly echoesPrompt?: boolean | undefined
  readonly sampling: Sampling
  /** Non-empty strings, limited in number by the dialects. Matched across token borders, never part of the output. */
  readonly stop: readonly string[]
  /** Most generated tokens per choice, including reasoning; clamped to the rest of the context. */
  readonly maxTokens?: number | undefined
  /** Limit that ends a repeating answer; `usual` is the engine's own. Absent leaves it to the model's manifest. */
  readonly repetitionLimit?: RepetitionLimit | 'usual' | 'none' | undefined
  /** Number of answers per prompt, 1..128. Answers are ordered by prompt. */
  readonly choices: number
  /** Number of alternatives (0..20) to report per token. Absent means no log probabilities at all. */
  readonly topLogprobs?: number | undefined
  /**
   * Number of alternatives (0..20) to report per token of each prompt. Absent means that prompts are not scored. Only
   * with one choice per prompt and without pictures; `maxTokens` may then be 0.
   */
  readonly promptScores?: number | undefined
  /** True if the ids of scored tokens are needed. Engines without them refuse. */
  readonly namesPromptTokens?: boolean | undefined
  /** True to report the ids of tokens with their log probabilities. */
  readonly reportsTokenIds?: boolean | undefined
  /** True to report the choice's token counts so far with each piece of the answer. */
  readonly countsTokens?: boolean | undefined
  /**
   * Salt of the prompt cache. Requests of an account share computed prompts only with the same salt, or all without
   * one.
   */
  readonly cacheSalt?: string | undefined
  /** Tools that the model may call; empty for none. */
  readonly tools: readonly Tool[]
  /** Meaningless without tools. */
  readonly toolChoice: ToolChoice
  /** False allows at most one call in an answer. */
  readonly parallelToolCalls: boolean
  /** JSON Schema that the answer's text satisfies, unless it is cut by a limit or is a tool call. */
  readonly answerSchema?: JsonObject | undefined
  /** Origin of the schema, as in `Tool`. */
  readonly answerSchemaOrigin?: SchemaOrigin | undefined
  /** Texts, one of which the answer is, under the same conditions. Never empty, and never together with a schema. */
  readonly answerChoices?: readonly string[] | undefined
  readonly reasoning: Reasoning
  /**
   * Replacement of each `SentImagePart` of the messages, in order: its picture, or a remark for a model without vision.
   * `core/place-images.ts` inserts them for engines. Absent without pictures.
   */
  readonly images?: readonly (ImagePart | TextPart)[] | undefined
  /** Content of each `SentDocumentPart` of the messages, in order. Placed like `images`. Absent without documents. */
  readonly documents?: readonly (readonly (ImagePart | TextPart)[])[] | undefined
  /**
   * Replacement of each `SentSoundPart` of the messages, in order: its samples, or its transcript. Placed like `images`.
   * Absent without recordings.
   */
  readonly sounds?: readonly (SoundPart | TextPart)[] | undefined
  /** `messages`, `tools` and `prompts` as `engines/protocol/packed-request.ts` packs them; they are then empty here. */
  readonly packed?: Uint8Array | undefined
  /** Web search that the model may call and the server does. Only with one choice. */
  readonly webSearch?: WebSearch | undefined
  /** Messages and tools that follow the others, which may be packed. `wholeWork` joins them for engines. */
  readonly appended?: Appended | undefined
  /** Further variables of the chat template, as the caller names them. Unknown ones are ignored. */
  readonly templateVariables?: Readonly<Record<string, JsonValue>> | undefined
}

interface Appended {
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly Tool[]
}

export interface TokenAlternative {
  /** Text of the token; U+FFFD where its bytes are not valid UTF-8 alone. */
  readonly token: string
  readonly bytes: readonly number[]
  readonly logprob: number
  /** Token id, if requested. */
  readonly id?: number
}

export interface TokenLogprob extends TokenAlternative {
  readonly alternatives: readonly TokenAlternative[]
}

/**
 * Scores of consecutive tokens of a prompt: how likely the model finds each after those before it. All scores of a
 * choice come in order, before its text. Flat, since there may be a million.
 */
export interface PromptScores {
  readonly type: 'prompt-scores'
  readonly choice: number
  /** Token ids: for each place the prompt's own token, then the alternatives, likeliest first. -1 where unknown. */
  readonly ids: Int32Array
  /** Log probability of each id. NaN for the first token of a prompt, which follows nothing. */
  readonly scores: Float64Array
  /** Text of each id as bytes, one after the other, and where each ends. */
  readonly bytes: Uint8Array
  readonly ends: Int32Array
  /** For each place, the end of its ids. */
  readonly placeEnds: Int32Array
  /** For each place, the rank of the prompt's own token, from 1; 0 where unknown. */
  readonly ranks: Int32Array
}

/** `tool-calls` means that the answer ended by itself and holds at least one call. */
export type FinishReason = 'stop' | 'length' | 'tool-calls'

/**
 * Deltas of all choices interleaved, each choice ended by its `choice-finish`.
 * Within a choice, calls come one after the other: all deltas of one before the start of the next. A model may think or
 * write text at any time before, between and after them.
 */
export type ChatOutput = ChatPiece & {
  /** Token counts of the choice so far, if requested. Of pieces that come together, only the last may have them. */
  readonly tokens?: ChoiceTokens
}

interface ChoiceTokens {
  readonly completionTokens: number
  /** Part of the completion tokens that is thinking. */
  readonly reasoningTokens: number
}

type ChatPiece =
  | PromptScores
  | {
      readonly type: 'reasoning-delta' | 'text-delta'
      readonly choice: number
      /** Never empty. */
      readonly text: string
      /** Log probabilities of tokens that begin in this text, if requested. */
      readonly logprobs?: readonly TokenLogprob[]
    }
  | {
      readonly type: 'tool-call-start'
      readonly choice: number
      /** Index among the choice's calls, from 0. */
      readonly index: number
      readonly name: string
    }
  | {
      readonly type: 'tool-call-delta'
      readonly choice: number
      readonly index: number
      /** Next piece of the arguments' JSON text. */
      readonly argumentsText: string
    }
  | {
      /** The server searches the web for the model. `search-finish` follows, with nothing in between. */
      readonly type: 'search-start'
      readonly choice: number
      /** Empty if the model gave none. */
      readonly query: string
    }
  | { readonly type: 'search-finish'; readonly choice: number; readonly outcome: SearchOutcome }
  | {
      readonly type: 'choice-finish'
      readonly choice: number
      readonly reason: FinishReason
      /** Stop string of the request that ended the text. Only with reason `stop`. */
      readonly stopString?: string
      /** True if the context ended before `maxTokens`. Only with reason `length`. */
      readonly isContextFull?: boolean
      /**
       * Log probabilities of the last tokens, which have no text. Only with an echoed and scored prompt, where each
       * generated token is reported.
       */
      readonly logprobs?: readonly TokenLogprob[]
      /** True if the answer only repeated itself. Only with reason `length`. */
      readonly isRepetition?: boolean
    }

/** One `start`, the outputs, one `finish`. */
export type ChatEvent = StartEvent | ChatOutput | FinishEvent
