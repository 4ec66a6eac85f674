/** Differences of server flavors in chats: a column per ability or form. */
import type { Sampling } from '../../../core/chat.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'

/** Abilities that servers may lack. Requests for missing ones are refused, or wishes ignored. */
export interface Abilities {
  readonly tools: boolean
  /** True if a choice may name a tool. Otherwise only that tool is shown. */
  readonly namedTools: boolean
  /** True if a choice may name several tools. Otherwise only those are shown. */
  readonly allowedTools: boolean
  readonly pictures: boolean
  /** True for answers that satisfy a JSON schema. */
  readonly schemas: boolean
  /** True if a schema still allows the model to call tools. */
  readonly schemasBesideTools: boolean
  readonly logprobs: boolean
  readonly logprobsBesideTools: boolean
  /** True for raw prompts: texts and token ids. */
  readonly prompts: boolean
  /** True for the text of token ids in front of the answer. */
  readonly tokenEcho: boolean
  /**
   * True for a limit on the tokens of thinking. Some servers refuse all requests with one unless they are set up for
   * it.
   */
  readonly thinkingBudget: boolean
  /** True if thinking comes in a separate field. Otherwise it may be in the text, in `<think>` tags. */
  readonly parsesThinking: boolean
}

/** Form of the thinking setting in requests. */
type ThinkingForm =
  /** Variables of the chat template: switches of several names, since templates differ. */
  | { readonly kind: 'template'; readonly switches: readonly string[]; readonly effortIn: 'body' | 'template' }
  /** Effort alone, left out if the request names none. */
  | { readonly kind: 'effort' }
  /** Object with the whole setting, in this server's own form. */
  | { readonly kind: 'whole' }

/** Field for an answer that is one of several texts. */
export type ChoicesForm = 'structured_outputs' | 'guided_choice' | 'regex' | 'regex-format' | 'grammar'

export interface ChatForm {
  /** Abilities unless the manifest or a check of the server differs. */
  readonly abilities: Abilities
  /** Fields of every request for text: that it streams, and reports usage as early and as often as possible. */
  readonly constants: JsonObject
  /** Field for the limit of generated tokens of a chat. For raw prompts it is always `max_tokens`. */
  readonly chatLimit: 'max_tokens' | 'max_completion_tokens'
  /** Requests that accept a `cache_salt`. */
  readonly cacheSalt: 'all' | 'chats' | 'none'
  /** Names of sampling settings that not all servers know. Absent ones are left out. */
  readonly sampling: Readonly<Partial<Record<keyof Sampling, string>>>
  /** Value of `top_k` for the whole vocabulary. */
  readonly allTopK: 0 | -1
  readonly repeatPenaltyLimit: number
  readonly thinking: ThinkingForm
  readonly thinkingBudget?: string | undefined
  /** True if it accepts `chat_template_kwargs`. */
  readonly hasTemplateVariables: boolean
  /** Field of an assistant's earlier thinking in its message. Absent leaves it out. */
  readonly reasoningHistory?: 'reasoning_content' | undefined
  /** True if it accepts messages in any order, with any ids and arguments, like this server. */
  readonly takesAnyMessages: boolean
  /** Fields that continue the last message, an assistant's. */
  readonly continuing: JsonObject
  /** True if the answer then begins with that message's text once more. */
  readonly repeatsContinued: boolean
  /** True if it accepts `parallel_tool_calls`. */
  readonly hasParallelCalls: boolean
  /** True if it leaves line breaks beside the tags in thinking. */
  readonly padsThinking: boolean
  /** True if the model never calls with `tool_choice: "none"`. Elsewhere it may, and the call comes as text. */
  readonly keepsToNoCall: boolean
  /** Field for a schema of raw prompts; chats always use `response_format`. Absent if unsupported. */
  readonly rawSchema?: 'response_format' | 'json_schema' | undefined
  /** Absent if unsupported. */
  readonly choices?: ChoicesForm | undefined
  /** Supported limits of repetition: all of this server's, or only those with pieces and counts. */
  readonly repetition: 'all' | 'counted' | 'none'
  /**
   * Number of stop strings that are sent. 0 if the server would look for them in thinking and calls too: then the
   * reader alone looks for them, and the request is cancelled when it finds one.
   */
  readonly stopsLimit: number
  /** Form of texts with a gap. Absent if unsupported. */
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
  tokenEcho: true,
  thinkingBudget: false,
  parsesThinking: true,
}

const cumulative: JsonObject = { stream: true, stream_options: { include_usage: true, continuous_usage_stats: true } }
const atEnd: JsonObject = { stream: true, stream_options: { include_usage: true } }
const huggingFaceSampling = { topK: 'top_k', minP: 'min_p', repeatPenalty: 'repetition_penalty' } as const

/** Form of servers that run models of Hugging Face, modelled on vLLM. */
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
    thinkingBudget: 'thinking_token_budget',
    // Newer versions read it as `reasoning`, older ones know this name alone.
    reasoningHistory: 'reasoning_content',
    continuing: { continue_final_message: true, add_generation_prompt: false },
    choices: 'structured_outputs',
    repetition: 'counted',
  },
  sglang: {
    ...likeVllm,
    allTopK: -1,
    repeatPenaltyLimit: 2,
    reasoningHistory: 'reasoning_content',
    continuing: { continue_final_message: true },
    choices: 'regex',
  },
  // Refuses unknown fields, so none of newer versions is sent.
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
    abilities: { ...usual, allowedTools: true, schemasBesideTools: true, thinkingBudget: true },
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

/** Returns the abilities of a model's servers: checked ones, else their flavor's. */
export function abilitiesOf(flavor: UpstreamFlavor, known: Partial<Abilities> = {}): Abilities {
  return { ...chatForms[flavor].abilities, ...known }
}
