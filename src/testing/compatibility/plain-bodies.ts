import { type ExampleSection, parameters, user } from './example.ts'

export const chatTool = { type: 'function', function: { name: 'find', parameters } } as const
export const responsesTool = { type: 'function', name: 'find', parameters } as const
export const messagesTool = { name: 'find', input_schema: parameters } as const

/** Valid bodies on which every field of their dialect has an effect. */
export const plainBodies: Readonly<Record<ExampleSection['dialect'], object>> = {
  'chat/completions': { model: 'org/model', messages: [user], tools: [chatTool] },
  completions: { model: 'org/model', prompt: 'Hi' },
  'fim/completions': { model: 'org/model', prompt: 'Hi' },
  responses: { model: 'org/model', input: [user], tools: [responsesTool] },
  messages: {
    model: 'org/model',
    messages: [user],
    tools: [messagesTool],
    max_tokens: 100,
    thinking: { type: 'adaptive' },
  },
  'messages/count_tokens': {
    model: 'org/model',
    messages: [user],
    tools: [messagesTool],
    thinking: { type: 'adaptive' },
  },
  tokenize: { model: 'org/model', prompt: 'a' },
  detokenize: { model: 'org/model', tokens: [1] },
  'apply-template': { model: 'org/model', messages: [user] },
  embeddings: { model: 'org/model', input: 'a' },
  embed: { model: 'org/model', texts: ['a'] },
  'v2/embed': { model: 'org/model', texts: ['a'], input_type: 'clustering' },
  rerank: { model: 'org/model', query: 'a', documents: ['b', 'c'] },
  moderations: { model: 'org/model', input: 'a' },
  'images/generations': { model: 'org/model', prompt: 'a' },
  'audio/speech': { model: 'org/model', input: 'a', voice: 'alloy' },
  'api/chat': { model: 'org/model', messages: [user], tools: [chatTool] },
  'api/generate': { model: 'org/model', prompt: 'Hi' },
  'api/embed': { model: 'org/model', input: 'a' },
  'api/embeddings': { model: 'org/model', prompt: 'a' },
  'audio/transcriptions': { model: 'org/model' },
  'audio/translations': { model: 'org/model' },
}
