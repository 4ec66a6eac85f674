/**
 * Bodies that each kind of server accepts, as strict as its strictest version. Unknown fields are refused everywhere,
 * though some servers ignore them, so that wrong names are found.
 */
import { type TObject, type TProperties, Type } from '@sinclair/typebox'
import type { UpstreamFlavor } from '../../core/upstream.ts'

const closed = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })
const anyObject = Type.Record(Type.String(), Type.Unknown())
const oneOf = (...values: readonly string[]) => Type.Union(values.map((value) => Type.Literal(value)))
const optional = Type.Optional
const flag = optional(Type.Boolean())
const number = optional(Type.Number())
const count = optional(Type.Integer({ minimum: 0 }))

const textPart = closed({ type: Type.Literal('text'), text: Type.String() })
const imagePart = closed({
  type: Type.Literal('image_url'),
  image_url: closed({ url: Type.String({ pattern: '^data:image/' }), detail: optional(oneOf('auto', 'low', 'high')) }),
})
const content = Type.Union([Type.String(), Type.Array(Type.Union([textPart, imagePart]), { minItems: 1 })])
const toolCall = closed({
  id: Type.String({ minLength: 1 }),
  type: Type.Literal('function'),
  function: closed({ name: Type.String(), arguments: Type.String() }),
})
const name = optional(Type.String({ minLength: 1 }))

/** Returns the schema of messages. `thinking` are the names under which earlier thinking is accepted. */
function messages(...thinking: readonly string[]) {
  const calls = optional(Type.Array(toolCall, { minItems: 1 }))
  const answered = Type.Union([content, Type.Null()])
  const thoughts = Object.fromEntries(thinking.map((field) => [field, optional(Type.String())]))
  return Type.Array(
    Type.Union([
      closed({ role: Type.Literal('system'), content, name }),
      closed({ role: Type.Literal('user'), content, name }),
      closed({ role: Type.Literal('assistant'), content: optional(answered), name, tool_calls: calls, ...thoughts }),
      closed({ role: Type.Literal('tool'), content, tool_call_id: Type.String({ minLength: 1 }), name }),
    ]),
    { minItems: 1 },
  )
}

const tool = closed({
  type: Type.Literal('function'),
  function: closed({ name: Type.String(), description: optional(Type.String()), parameters: anyObject, strict: flag }),
})
const toolModes = oneOf('none', 'auto', 'required')
const namedTool = closed({ type: Type.Literal('function'), function: closed({ name: Type.String() }) })
const jsonSchema = closed({
  name: Type.String(),
  description: optional(Type.String()),
  schema: anyObject,
  strict: flag,
})
const format = Type.Union([
  closed({ type: Type.Literal('json_schema'), json_schema: jsonSchema }),
  closed({ type: Type.Literal('json_object') }),
  closed({ type: Type.Literal('text') }),
])
const usageOptions = closed({ include_usage: flag })
const continuousOptions = closed({ include_usage: flag, continuous_usage_stats: flag })
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** Fields common to all requests for text. */
const common = {
  model: Type.String(),
  // Absent for scores of prompts.
  stream: optional(Type.Literal(true)),
  stop: optional(Type.Union([Type.String(), Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })])),
  temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
  presence_penalty: number,
  frequency_penalty: number,
  logit_bias: optional(Type.Record(Type.String({ pattern: '^[0-9]+$' }), Type.Number({ minimum: -100, maximum: 100 }))),
  seed: optional(Type.Integer()),
  n: optional(Type.Literal(1)),
}

const chat = {
  ...common,
  tools: optional(Type.Array(tool, { minItems: 1 })),
  tool_choice: optional(Type.Union([toolModes, namedTool])),
  parallel_tool_calls: flag,
  response_format: optional(format),
  logprobs: flag,
  top_logprobs: optional(Type.Integer({ minimum: 0, maximum: 20 })),
}
const maxTokens = { max_tokens: Type.Integer({ minimum: 1 }) }
const fromHuggingFace = {
  top_k: optional(Type.Integer({ minimum: 0 })),
  min_p: number,
  repetition_penalty: number,
}
/** SGLang refuses 0, which means "all" elsewhere. */
const topK = Type.Union([Type.Literal(-1), Type.Integer({ minimum: 1 })])
const sglangSampling = {
  ...fromHuggingFace,
  top_k: optional(topK),
  repetition_penalty: optional(Type.Number({ minimum: 0, maximum: 2 })),
}
const cacheSalt = { cache_salt: optional(Type.String({ minLength: 1, maxLength: 1024 })) }
const template = { chat_template_kwargs: optional(anyObject) }
const prompt = Type.Union([Type.String(), Type.Array(Type.Integer())])
const raw = { ...common, ...maxTokens, prompt, echo: flag, logprobs: count }
/** Fields of servers that name the tokens of prompts. */
const scores = { prompt_logprobs: count, return_tokens_as_token_ids: flag }
const continuous = { stream_options: optional(continuousOptions) }
const usage = { stream_options: optional(usageOptions) }
const effort = (...values: readonly string[]) => ({ reasoning_effort: optional(oneOf(...values)) })

const llamaSampling = {
  top_k: optional(Type.Integer()),
  min_p: number,
  repeat_penalty: number,
  cache_prompt: flag,
  timings_per_token: flag,
  grammar: optional(Type.String()),
  json_schema: optional(anyObject),
  n_probs: count,
}

const structuredOutputs = optional(
  closed({ choice: optional(Type.Array(Type.String())), json: optional(anyObject), regex: optional(Type.String()) }),
)
const vllmChat = {
  ...scores,
  ...{ ...chat, ...maxTokens, ...fromHuggingFace, ...cacheSalt, ...template, ...continuous, ...effort(...efforts) },
  messages: messages('reasoning', 'reasoning_content'),
  thinking_token_budget: count,
  include_reasoning: flag,
  continue_final_message: flag,
  add_generation_prompt: flag,
  structured_outputs: structuredOutputs,
  repetition_detection: optional(anyObject),
}

const sglangChat = {
  ...{ ...chat, ...maxTokens, ...sglangSampling, ...cacheSalt, ...template, ...continuous, ...effort(...efforts) },
  messages: messages('reasoning_content'),
  separate_reasoning: flag,
  continue_final_message: flag,
  regex: optional(Type.String()),
  ebnf: optional(Type.String()),
}

const trtllmFormat = Type.Union([
  format,
  closed({ type: Type.Literal('regex'), regex: Type.String() }),
  closed({ type: Type.Literal('ebnf'), ebnf: Type.String() }),
])
const trtllmChat = {
  ...{ ...chat, ...maxTokens, ...fromHuggingFace, ...cacheSalt, ...template, ...continuous },
  ...effort('low', 'medium', 'high', 'max', 'none'),
  response_format: optional(trtllmFormat),
  messages: messages(),
  thinking_token_budget: count,
}

const llamacppChat = {
  ...{ ...chat, ...maxTokens, ...llamaSampling, ...template, ...usage },
  reasoning_effort: optional(Type.String()),
  continue_final_message: flag,
  add_generation_prompt: flag,
  // llama.cpp would silently read an object as `auto`.
  tool_choice: optional(toolModes),
  messages: messages('reasoning_content'),
  reasoning_format: optional(oneOf('none', 'auto', 'deepseek', 'deepseek-legacy')),
  reasoning_budget_tokens: optional(Type.Integer({ minimum: -1 })),
  thinking_budget_tokens: optional(Type.Integer({ minimum: -1 })),
}

const openaiChat = {
  ...{ ...chat, ...usage, ...effort('none', 'minimal', 'low', 'medium', 'high', 'xhigh') },
  messages: messages(),
  max_tokens: optional(maxTokens.max_tokens),
  max_completion_tokens: optional(maxTokens.max_tokens),
}

/** Schemas by path below the base address, for paths that generate text. */
export const bodySchemas: Readonly<Record<UpstreamFlavor, Readonly<Record<string, TObject>>>> = {
  vllm: {
    '/chat/completions': closed(vllmChat),
    '/completions': closed({
      ...raw,
      ...scores,
      ...fromHuggingFace,
      ...cacheSalt,
      ...continuous,
      response_format: optional(format),
      structured_outputs: structuredOutputs,
      repetition_detection: optional(anyObject),
    }),
  },
  sglang: {
    '/chat/completions': closed(sglangChat),
    '/completions': closed({
      ...{ ...raw, ...sglangSampling, ...cacheSalt, ...continuous },
      response_format: optional(format),
      regex: optional(Type.String()),
    }),
  },
  trtllm: {
    '/chat/completions': closed(trtllmChat),
    '/completions': closed({ ...raw, ...fromHuggingFace, ...continuous, response_format: optional(trtllmFormat) }),
  },
  llamacpp: {
    '/chat/completions': closed(llamacppChat),
    '/completions': closed({ ...raw, ...llamaSampling, ...usage }),
    '/infill': closed({
      ...common,
      ...llamaSampling,
      ...maxTokens,
      ...usage,
      input_prefix: Type.String(),
      input_suffix: Type.String(),
    }),
  },
  openai: {
    '/chat/completions': closed(openaiChat),
    '/completions': closed({ ...raw, ...usage }),
  },
  // inferd ignores unknown fields: its own tests, and those with real models behind a second server, check its fields.
  inferd: {
    '/chat/completions': Type.Object({
      ...{ ...chat, ...maxTokens, ...scores },
      messages: Type.Array(anyObject, { minItems: 1 }),
      tool_choice: optional(Type.Unknown()),
    }),
    '/completions': Type.Object({ ...raw, ...scores, ...continuous }),
  },
}
