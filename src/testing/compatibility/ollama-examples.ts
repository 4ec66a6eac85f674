import {
  answerSchema,
  type CompatibilityExample,
  type ExampleSections,
  type Examples,
  fields,
  mapValues,
} from './example.ts'

const picture = 'iVBORw0KGgo='
const logprobs: Readonly<Record<string, CompatibilityExample>> = {
  logprobs: { body: { logprobs: true } },
  top_logprobs: { body: { logprobs: true, top_logprobs: 2 }, without: { logprobs: true } },
}
const common = {
  model: 'org/other',
  stream: false,
  format: answerSchema,
  think: true,
  options: { seed: 1 },
  keep_alive: '5m',
  truncate: false,
  shift: false,
}

const messages: Examples = mapValues(
  {
    role: { role: 'assistant', content: 'Hi' },
    content: { role: 'user', content: 'Ho' },
    images: { role: 'user', content: 'Hi', images: [picture] },
    thinking: { role: 'assistant', content: 'Hi', thinking: 'Hm' },
    tool_calls: { role: 'assistant', content: 'Hi', tool_calls: [{ function: { name: 'find', arguments: {} } }] },
    tool_name: { role: 'tool', content: 'Hi', tool_name: 'find' },
    tool_call_id: { role: 'tool', content: 'Hi', tool_call_id: 'call_1' },
  },
  (message, name) => {
    const { [name]: _, ...rest } = message as Readonly<Record<string, unknown>>
    const isPlain = name === 'role' || name === 'content'
    return { body: { messages: [message] }, ...(!isPlain && { without: { messages: [rest] } }) }
  },
)

const ignoredOptions = {
  ...{
    num_ctx: 8192,
    num_keep: 5,
    num_batch: 5,
    num_gpu: 1,
    main_gpu: 1,
    num_thread: 2,
    use_mmap: true,
    use_mlock: true,
  },
  ...{ numa: true, low_vram: true, f16_kv: true, logits_all: true, vocab_only: true, embedding_only: true },
  ...{ repeat_last_n: 5, typical_p: 0.5, tfs_z: 0.5, penalize_newline: true },
  ...{ mirostat: 1, mirostat_tau: 5, mirostat_eta: 0.1 },
}

/** Examples for all rows of Ollama's API in docs/reference/fields.md. */
export const ollamaSections: ExampleSections = {
  'api/chat: Request fields': {
    dialect: 'api/chat',
    examples: {
      ...fields({ ...common, messages: [{ role: 'user', content: 'Ho' }], tools: [], tool_choice: 'none' }),
      ...logprobs,
    },
  },
  'api/chat: Messages': { dialect: 'api/chat', examples: messages },
  'api/chat: Options': {
    dialect: 'api/chat',
    examples: mapValues(
      {
        ...{ num_predict: 5, seed: 1, stop: 'END', temperature: 0.5, top_k: 5, top_p: 0.5, min_p: 0.1 },
        ...{ repeat_penalty: 1.1, presence_penalty: 1, frequency_penalty: 1, ...ignoredOptions },
      },
      (value, name) => ({ body: { options: { [name]: value } }, without: { options: {} } }),
    ),
  },
  'api/generate: Request fields': {
    dialect: 'api/generate',
    examples: {
      ...fields({
        ...common,
        prompt: 'Ho',
        suffix: 'Ho',
        system: 'Ho',
        template: 'Ho',
        context: [1],
        raw: true,
        images: [picture],
        width: 5,
        height: 5,
        steps: 5,
      }),
      ...logprobs,
    },
  },
  'api/embed: Request fields': {
    dialect: 'api/embed',
    examples: fields({
      model: 'org/other',
      input: ['a', 'b'],
      truncate: false,
      dimensions: 5,
      keep_alive: '5m',
      options: { seed: 1 },
    }),
  },
  'api/embeddings: Request fields': {
    dialect: 'api/embeddings',
    examples: fields({ model: 'org/other', prompt: 'b', keep_alive: '5m', options: { seed: 1 } }),
  },
}
