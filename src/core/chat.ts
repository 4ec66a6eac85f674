/**
 * The canonical chat request and its events. Dialects (`wire/`) translate into and out of these; engines know only
 * these.
 */
import type { Content, ImagePart, TextPart } from './content.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { FinishEvent, StartEvent } from './usage.ts'

/** A call that an earlier assistant turn made. */
export interface ToolCall {
  /** As the client gave it: unique or not, known or not. */
  readonly id: string
  readonly name: string
  /** JSON text as the model wrote it: may be empty, cut or otherwise no JSON. */
  readonly argumentsText: string
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: Content
  readonly name?: string
  /** Thinking of an earlier assistant turn, echoed back by the client. */
  readonly reasoning?: string
  /** On assistant messages only; never empty. */
  readonly toolCalls?: readonly ToolCall[]
  /** On tool messages only: the call that this is the result of. It may name no call of this conversation. */
  readonly toolCallId?: string
}

/** All pictures of a conversation, in its order. */
export function picturesOf(messages: readonly ChatMessage[]): readonly ImagePart[] {
  return messages.flatMap(({ content }) => content.filter((part) => part.type === 'image'))
}

/** Where a caller wrote a JSON Schema. Its depth and size are limited, and its references stay inside it. */
export interface SchemaOrigin {
  /** Dotted place in the request's body, for errors. */
  readonly path: string
  /** The engine must refuse what it cannot hold an answer to. Otherwise it may leave that to the model. */
  readonly isStrict: boolean
}

export interface Tool {
  /** Unique within the request. */
  readonly name: string
  readonly description?: string
  /** JSON Schema of an object, as the caller wrote it. */
  readonly parameters: JsonObject
  /** Absent for schemas of the server's own, which any engine can hold. */
  readonly parametersOrigin?: SchemaOrigin
}

/** `required`: at least one call. `none`: the model may write text only. */
export interface ToolChoice {
  readonly mode: 'auto' | 'required' | 'none'
  /** Names of the tools that may be called; absent: all. The model sees all of them anyway. Never empty. */
  readonly allowed?: readonly string[]
}

export type ReasoningEffort = 'minimal' | 'low' | 'medium' | 'high'

/** What a request says about thinking. Whatever is absent is decided by the model's alias, then by its manifest. */
export interface Reasoning {
  /** `off` holds for every model, also for those whose template knows no switch. */
  readonly mode?: 'off' | 'on' | undefined
  /** Handed to templates that know efforts. */
  readonly effort?: ReasoningEffort | undefined
  /** Most tokens of thinking; the answer then begins. */
  readonly budgetTokens?: number | undefined
  /** A wish made to the template itself: counts where neither `mode` nor the alias says anything. */
  readonly templateMode?: 'off' | 'on' | undefined
}

/** Whether the model shall think; undefined: what it does by itself. An effort or a budget asks to think. */
export function wantsThinking({ mode, templateMode, budgetTokens, effort }: Reasoning): boolean | undefined {
  // A block of no tokens is better left out by a template that can.
  if (budgetTokens === 0) return false
  const said = mode ?? templateMode
  if (said !== undefined) return said === 'on'
  return budgetTokens !== undefined || effort !== undefined ? true : undefined
}

/** Sampling settings. `undefined` means: the model's default from its manifest, else the engine's. */
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
  /** Unsigned 32 bit. Choice i of a prompt uses seed + i. Absent: random. */
  readonly seed?: number | undefined
}

/**
 * A text that the model continues as it is: no chat template, no reader of thinking and calls. Control tokens in the text of a
 * `text` are read as such, and it begins as the model's texts do. `fill`: what is missing between the two is wanted. `param` is its
 * place in the client's own request, for errors.
 */
export type RawPrompt = { readonly param: string } & (
  | { readonly kind: 'text'; readonly text: string }
  /** Ids of the model's own vocabulary; nothing is added. */
  | { readonly kind: 'tokens'; readonly tokens: readonly number[] }
  | { readonly kind: 'fill'; readonly prefix: string; readonly suffix: string }
)

/** When an answer only repeats itself: the same piece, again and again, with nothing in between. */
export interface RepetitionLimit {
  /** Length of the piece. */
  readonly minPieceTokens: number
  readonly maxPieceTokens: number
  /** Number of its occurrences, the first included; at least 2. */
  readonly minCount: number
  /** Length of all its repetitions together. */
  readonly minTokens: number
}

export interface ChatRequest {
  /** Empty where there are prompts. */
  readonly messages: readonly ChatMessage[]
  /** In place of messages, tools and thinking; never empty. */
  readonly prompts?: readonly RawPrompt[] | undefined
  /** Each choice begins with the text of its prompt, which is not of kind `fill`. Only with prompts. */
  readonly echoesPrompt?: boolean | undefined
  readonly sampling: Sampling
  /** Non-empty strings, how many is for the dialects to limit; matched across token borders, never part of the output. */
  readonly stop: readonly string[]
  /** Limit on generated tokens per choice, reasoning included; clamped to what is left of the context. */
  readonly maxTokens?: number | undefined
  /** What ends an answer that repeats itself; `usual`: the engine's own limit. Absent: the model's manifest decides. */
  readonly repetitionLimit?: RepetitionLimit | 'usual' | 'none' | undefined
  /** How many answers to generate; of several prompts, the same number for each, those of the first prompt first. 1..128. */
  readonly choices: number
  /** Number of alternatives (0..20) to report per token; absent: no log probabilities at all. */
  readonly topLogprobs?: number | undefined
  /** Each piece of the answer tells the tokens of its choice so far. */
  readonly countsTokens?: boolean | undefined
  /** Requests of an account share computed prompts with those of the same salt alone; absent: with those without one. */
  readonly cacheSalt?: string | undefined
  /** Tools that the model may call; empty for none. */
  readonly tools: readonly Tool[]
  /** Meaningless without tools. */
  readonly toolChoice: ToolChoice
  /** False: at most one call in an answer. */
  readonly parallelToolCalls: boolean
  /** JSON Schema that the answer's text keeps to, unless it is cut by a limit or is a tool call. */
  readonly answerSchema?: JsonObject | undefined
  /** As in `Tool`. */
  readonly answerSchemaOrigin?: SchemaOrigin | undefined
  /** Texts one of which the answer is, under the same conditions. Never beside a schema, never empty. */
  readonly answerChoices?: readonly string[] | undefined
  readonly reasoning: Reasoning
  /**
   * What takes the place of each `SentImagePart` of the messages, in their order: its picture, or a remark for a model that
   * does not see. Engines get the messages with them (`core/place-images.ts`). Absent: the messages have none.
   */
  readonly images?: readonly (ImagePart | TextPart)[] | undefined
  /** `messages`, `tools` and `prompts` as `engines/packed-request.ts` packs them; they are then empty here. */
  readonly packed?: Uint8Array | undefined
  /** Further variables of the chat template, by the caller's own knowledge of it. Unknown ones are harmless. */
  readonly templateVariables?: Readonly<Record<string, JsonValue>> | undefined
}

export interface TokenAlternative {
  /** Text of the token; U+FFFD where its bytes are not valid UTF-8 alone. */
  readonly token: string
  readonly bytes: readonly number[]
  readonly logprob: number
}

export interface TokenLogprob extends TokenAlternative {
  readonly alternatives: readonly TokenAlternative[]
}

/** `tool-calls`: the answer ended by itself and holds at least one call. */
export type FinishReason = 'stop' | 'length' | 'tool-calls'

/**
 * Deltas of all choices interleaved, each choice ended by its `choice-finish`.
 *
 * Within a choice, calls come one after the other: all deltas of one before the start of the next. A model may think or
 * write text at any time before, between and after them.
 */
export type ChatOutput = ChatPiece & {
  /** Where they are wanted: those of the choice up to here. Pieces that come together may have them on the last alone. */
  readonly tokens?: ChoiceTokens
}

export interface ChoiceTokens {
  readonly completionTokens: number
  /** Those of them that are thinking. */
  readonly reasoningTokens: number
}

type ChatPiece =
  | {
      readonly type: 'reasoning-delta' | 'text-delta'
      readonly choice: number
      /** Never empty. */
      readonly text: string
      /** Of text, where they are wanted: the tokens that begin in it. */
      readonly logprobs?: readonly TokenLogprob[]
    }
  | {
      readonly type: 'tool-call-start'
      readonly choice: number
      /** Position among the choice's calls, from 0. */
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
      readonly type: 'choice-finish'
      readonly choice: number
      readonly reason: FinishReason
      /** The request's own stop string that ended the text. Only with reason `stop`. */
      readonly stopString?: string
      /** The context ended before `maxTokens`. Only with reason `length`. */
      readonly isContextFull?: boolean
      /** The answer only repeated itself. Only with reason `length`. */
      readonly isRepetition?: boolean
    }

/** One `start`, the outputs, one `finish`. */
export type ChatEvent = StartEvent | ChatOutput | FinishEvent
