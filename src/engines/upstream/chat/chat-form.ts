/** What servers of each flavor can do in chats, and how they want to be told: whatever differs between them is a column here. */
import type { Sampling } from '../../../core/chat.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'

/** What a server may be able to do. What it cannot do is refused, or left out where it is a wish. */
export interface Abilities {
  readonly tools: boolean
  /** A choice may name a tool; otherwise that tool alone is shown. */
  readonly namedTools: boolean
  /** A choice may name several tools; otherwise those alone are shown. */
  readonly allowedTools: boolean
  readonly pictures: boolean
  /** Answers that keep to a JSON schema. */
  readonly schemas: boolean
  /** The same where the model may call tools instead: others could make no call then. */
  readonly schemasBesideTools: boolean
  readonly logprobs: boolean
  readonly logprobsBesideTools: boolean
  /** Raw prompts: texts and token ids. */
  readonly prompts: boolean
  /** The text of token ids in front of the answer. */
  readonly tokenEcho: boolean
  /** A limit of the tokens of thinking. Some servers refuse all requests with one unless they are set up for it. */
  readonly thinkingBudget: boolean
  /** Thinking comes in a field of its own. Otherwise it may stand in the text, in `<think>` tags. */
  readonly parsesThinking: boolean
}

/** How a server is told whether and how much to think. */
export type ThinkingForm =
  /** By variables of the chat template: switches of several names, since each template has its own. */
  | { readonly kind: 'template'; readonly switches: readonly string[]; readonly effortIn: 'body' | 'template' }
  /** By an effort alone, and not at all where the request names none. */
  | { readonly kind: 'effort' }
  /** By an object that says all of it, as this server takes it. */
  | { readonly kind: 'whole' }

/** Where an answer that is one of some texts is asked for. */
export type ChoicesForm = 'structured_outputs' | 'guided_choice' | 'regex' | 'regex-format' | 'grammar'

export interface ChatForm {
  /** Unless the manifest or a check of the server knows better. */
  readonly abilities: Abilities
  /** In every request for text: that it streams, and tells its usage as early and as often as it can. */
  readonly constants: JsonObject
  /** The limit of generated tokens of a chat; that of raw prompts is `max_tokens` everywhere. */
  readonly chatLimit: 'max_tokens' | 'max_completion_tokens'
  /** Which requests take a `cache_salt`. */
  readonly cacheSalt: 'all' | 'chats' | 'none'
  /** Names of those sampling settings that not all servers know; what is absent is left out. */
  readonly sampling: Readonly<Partial<Record<keyof Sampling, string>>>
  /** How `top_k` says all of the vocabulary. */
  readonly allTopK: 0 | -1
  readonly repeatPenaltyLimit: number
  readonly thinking: ThinkingForm
  readonly thinkingBudget?: string | undefined
  /** Takes `chat_template_kwargs`. */
  readonly hasTemplateVariables: boolean
  /** Where an assistant's earlier thinking stands in its message; absent: it is left out. */
  readonly reasoningHistory?: 'reasoning_content' | undefined
  /** Takes messages in any order, with any ids and arguments, as this server does. */
  readonly takesAnyMessages: boolean
  /** What says that the answer goes on with the last message, an assistant's. */
  readonly continuing: JsonObject
  /** The answer then begins with that message's text once more. */
  readonly repeatsContinued: boolean
  /** Takes `parallel_tool_calls`. */
  readonly hasParallelCalls: boolean
  /** Line breaks beside the tags of thinking are left in it. */
  readonly padsThinking: boolean
  /** With `tool_choice: "none"` the model does not call. Elsewhere it may, and the call comes as text. */
  readonly keepsToNoCall: boolean
  /** Of raw prompts; chats have `response_format` everywhere. Absent: prompts take no schema. */
  readonly rawSchema?: 'response_format' | 'json_schema' | undefined
  /** Absent: it has no such answers. */
  readonly choices?: ChoicesForm | undefined
  /** Takes limits of repetition: all that this server knows, or those with pieces and counts alone. */
  readonly repetition: 'all' | 'counted' | 'none'
  /**
   * How many stop strings are sent. None where the server would look for them in thinking and calls too: there the reader alone looks
   * for them, and the request is cancelled when it finds one.
   */
  readonly stopsLimit: number
  /** How texts with a gap are sent; absent: they cannot be. */
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

/** What servers have that run models of Hugging Face, by vLLM's example. */
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
  // Refuses each field that it does not know: none of a newer version is sent.
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

/** What the servers of a model can do: what is known of them, else what their flavor can. */
export function abilitiesOf(flavor: UpstreamFlavor, known: Partial<Abilities> = {}): Abilities {
  return { ...chatForms[flavor].abilities, ...known }
}
