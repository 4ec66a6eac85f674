/** Differences of server flavors in chats: one column per ability or format. */
import type { Sampling } from '../../../core/chat.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'

/** Abilities that servers may lack. A request that needs a missing one is refused; a mere wish for it is ignored. */
export interface Abilities {
  readonly tools: boolean
  /** True if a choice may name a tool. Otherwise the model sees only that tool. */
  readonly namedTools: boolean
  /** True if a choice may name several tools. Otherwise the model sees only those. */
  readonly allowedTools: boolean
  readonly pictures: boolean
  /** True if answers can be constrained by a JSON schema. */
  readonly schemas: boolean
  /** True if the model can still call tools under a schema. */
  readonly schemasBesideTools: boolean
  readonly logprobs: boolean
  readonly logprobsBesideTools: boolean
  /** True for raw prompts: texts and token ids. */
  readonly prompts: boolean
  /** True if it scores prompts, and computes prompts without an answer. */
  readonly promptScores: boolean
  /** True if it can score prompts with the ids of their tokens, also those of chats. */
  readonly promptIds: boolean
  /** True if it can report token ids with log probabilities. */
  readonly tokenIds: boolean
  /** True if it can return the text of prompt token ids before the answer. */
  readonly tokenEcho: boolean
  /**
   * True if it takes a limit on thinking tokens. Some servers refuse all requests that have one unless they are
   * configured for it.
   */
  readonly thinkingBudget: boolean
  /** True if thinking comes in a separate field. Otherwise it may be in the text, in `<think>` tags. */
  readonly parsesThinking: boolean
}

/** Format of the thinking setting in requests. */
type ThinkingForm =
  /** Variables of the chat template. Sets switches of several names, since templates differ. */
  | { readonly kind: 'template'; readonly switches: readonly string[]; readonly effortIn: 'body' | 'template' }
  /** Only the effort, omitted if the request names none. */
  | { readonly kind: 'effort' }
  /** Object with the whole setting, in inferd's own format. */
  | { readonly kind: 'whole' }

/** Field that constrains an answer to one of several texts. */
export type ChoicesForm = 'structured_outputs' | 'guided_choice' | 'regex' | 'regex-format' | 'grammar'

export interface ChatForm {
  /** Abilities unless the manifest or a check of the server says otherwise. */
  readonly abilities: Abilities
  /** Fields of every text request: stream, and report usage as early and often as possible. */
  readonly constants: JsonObject
  /** Field for the token limit of a chat. Raw prompts always use `max_tokens`. */
  readonly chatLimit: 'max_tokens' | 'max_completion_tokens'
  /** Requests in which the server accepts a `cache_salt`. */
  readonly cacheSalt: 'all' | 'chats' | 'none'
  /** Names of sampling settings that some servers lack. Absent settings are omitted. */
  readonly sampling: Readonly<Partial<Record<keyof Sampling, string>>>
  /** Value of `top_k` that means the whole vocabulary. */
  readonly allTopK: 0 | -1
  readonly repeatPenaltyLimit: number
  readonly thinking: ThinkingForm
  readonly thinkingBudget?: string | undefined
  /** True if the server accepts `chat_template_kwargs`. */
  readonly hasTemplateVariables: boolean
  /** Field of earlier thinking in an assistant's message. Absent omits the thinking. */
  readonly reasoningHistory?: 'reasoning_content' | undefined
  /** True if the server accepts messages in any order, with any ids and arguments, as inferd does. */
  readonly takesAnyMessages: boolean
  /** Fields with which the answer continues the last message, an assistant's. */
  readonly continuing: JsonObject
  /** True if such an answer repeats that message's text first. */
  readonly repeatsContinued: boolean
  /** True if the server accepts `parallel_tool_calls`. */
  readonly hasParallelCalls: boolean
  /** True if thinking keeps the line breaks next to its tags. */
  readonly padsThinking: boolean
  /** True if `tool_choice: "none"` prevents calls. Otherwise the model may still call, as text. */
  readonly keepsToNoCall: boolean
  /** Field for a schema of raw prompts. Chats always use `response_format`. Absent if unsupported. */
  readonly rawSchema?: 'response_format' | 'json_schema' | undefined
  /** Absent if unsupported. */
  readonly choices?: ChoicesForm | undefined
  /** Supported limits of repetition: all of inferd's, or only those with pieces and counts. */
  readonly repetition: 'all' | 'counted' | 'none'
  /**
   * Most stop strings to send. 0 if the server would also apply them to thinking and calls: then only the reader looks
   * for them, and cancels the request at the first one.
   */
  readonly stopsLimit: number
  /** Format for filling a gap in a text. Absent if unsupported. */
  readonly fill?: 'suffix' | 'infill' | undefined
}

const usual: Abilities = {
  tools: true,
  namedTools: true,
  allowedTools: false,
  pictures: true,
  schemas: true,
  schemasBesideTools: false,
  logprobs: true,
  logprobsBesideTools: true,
  prompts: true,
  promptScores: false,
  promptIds: false,
  tokenIds: false,
  tokenEcho: true,
  thinkingBudget: false,
  parsesThinking: true,
}

const cumulative: JsonObject = { stream: true, stream_options: { include_usage: true, continuous_usage_stats: true } }
const atEnd: JsonObject = { stream: true, stream_options: { include_usage: true } }
const huggingFaceSampling = { topK: 'top_k', minP: 'min_p', repeatPenalty: 'repetition_penalty' } as const

/** Format of servers for models of Hugging Face, based on vLLM. */
const likeVllm: ChatForm = {
  abilities: usual,
  constants: cumulative,
  chatLimit: 'max_tokens',
  cacheSalt: 'all',
  sampling: huggingFaceSampling,
  allTopK: 0,
  repeatPenaltyLimit: 100,
  thinking: { kind: 'template', switches: ['enable_thinking', 'thinking'], effortIn: 'body' },
  hasTemplateVariables: true,
  takesAnyMessages: false,
  continuing: {},
  repeatsContinued: false,
  hasParallelCalls: true,
  padsThinking: true,
  keepsToNoCall: false,
  rawSchema: 'response_format',
  repetition: 'none',
  stopsLimit: 0,
}

export const chatForms: Readonly<Record<UpstreamFlavor, ChatForm>> = {
  vllm: {
    ...likeVllm,
    abilities: { ...usual, promptScores: true, promptIds: true, tokenIds: true },
    thinkingBudget: 'thinking_token_budget',
    // Newer versions call the field `reasoning` but still accept this name, the only one of older versions.
    reasoningHistory: 'reasoning_content',
    continuing: { continue_final_message: true, add_generation_prompt: false },
    choices: 'structured_outputs',
    repetition: 'counted',
  },
  sglang: {
    ...likeVllm,
    abilities: { ...usual, promptScores: true },
    allTopK: -1,
    repeatPenaltyLimit: 2,
    reasoningHistory: 'reasoning_content',
    continuing: { continue_final_message: true },
    choices: 'regex',
  },
  // TensorRT-LLM refuses unknown fields, so fields of newer versions are omitted.
  trtllm: {
    ...likeVllm,
    abilities: { ...usual, parsesThinking: false },
    cacheSalt: 'chats',
    thinkingBudget: 'thinking_token_budget',
    hasParallelCalls: false,
    choices: 'regex-format',
  },
  llamacpp: {
    ...likeVllm,
    abilities: { ...usual, namedTools: false, logprobsBesideTools: false, tokenEcho: false, thinkingBudget: true },
    constants: { ...atEnd, timings_per_token: true },
    cacheSalt: 'none',
    sampling: { ...huggingFaceSampling, repeatPenalty: 'repeat_penalty' },
    thinking: { kind: 'template', switches: ['enable_thinking', 'thinking', 'reasoning'], effortIn: 'template' },
    thinkingBudget: 'thinking_budget_tokens',
    reasoningHistory: 'reasoning_content',
    repeatsContinued: true,
    rawSchema: 'json_schema',
    choices: 'grammar',
    fill: 'infill',
  },
  openai: {
    ...likeVllm,
    keepsToNoCall: true,
    abilities: { ...usual, schemasBesideTools: true, parsesThinking: false },
    constants: atEnd,
    chatLimit: 'max_completion_tokens',
    cacheSalt: 'none',
    sampling: {},
    thinking: { kind: 'effort' },
    hasTemplateVariables: false,
    rawSchema: undefined,
    stopsLimit: 4,
  },
  inferd: {
    ...likeVllm,
    padsThinking: false,
    keepsToNoCall: true,
    abilities: {
      ...{ ...usual, allowedTools: true, schemasBesideTools: true, thinkingBudget: true },
      ...{ promptScores: true, promptIds: true, tokenIds: true },
    },
    cacheSalt: 'all',
    sampling: { ...huggingFaceSampling, repeatPenalty: 'repeat_penalty' },
    thinking: { kind: 'whole' },
    reasoningHistory: 'reasoning_content',
    takesAnyMessages: true,
    choices: 'guided_choice',
    repetition: 'all',
    stopsLimit: 4,
    fill: 'suffix',
  },
}

/** Returns the abilities of a model's servers: as checked, else by flavor. */
export function abilitiesOf(flavor: UpstreamFlavor, known: Partial<Abilities> = {}): Abilities {
  return { ...chatForms[flavor].abilities, ...known }
}
