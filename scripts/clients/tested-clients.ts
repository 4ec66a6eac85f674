export interface TestedClient {
  /** Work that tests do with the client. */
  readonly runs: string
  /** Work that the client cannot do. */
  readonly lacks?: string
}

/** Clients that tests run, by their name in package.json. docs/reference/clients.md shows them with their versions. */
export const testedClients: Readonly<Record<string, TestedClient>> = {
  'openai-4.0': {
    runs: 'chat: text, streams, tools, functions, errors; completions; models',
    lacks: 'has no helpers, no `responses`',
  },
  'openai-4.28': { runs: 'the same, stream helper, tool runner', lacks: 'has no `responses`' },
  'openai-4.104': { runs: 'the same; responses: text, streams, tools' },
  'openai-5': { runs: 'the same' },
  'openai-6': { runs: 'the same' },
  openai: {
    runs: 'the same; thinking, pictures, documents, structured output, embeddings, tokens, speech, transcriptions',
  },
  'anthropic-0.20': {
    runs: 'text, streams, stream helper, tools, errors',
    lacks: 'offers tools at `beta.tools.messages`, not in streams; has no `models`',
  },
  'anthropic-0.32': { runs: 'the same, tools in streams too', lacks: 'has no `models`' },
  'anthropic-0.39': { runs: 'the same; models, in pages' },
  'anthropic-0.56': { runs: 'the same' },
  '@anthropic-ai/sdk': { runs: 'the same; thinking, pictures, documents, structured output, counting' },
  'ai-4': {
    runs: 'by chat, responses and messages: text, streams, tools, errors; completions',
    lacks: 'of a tool whose parameters are a schema of zod 4 it sends none of them: give it zod 3',
  },
  'ai-4-openai': {
    runs: 'chat, responses',
    lacks: 'a failure in the middle of a stream of responses shows only as `finishReason` `unknown`',
  },
  'ai-4-anthropic': { runs: 'messages' },
  'ai-5': { runs: 'as 4.3.19' },
  'ai-5-openai': { runs: 'chat, responses', lacks: 'the same as 1.3.24' },
  'ai-5-anthropic': { runs: 'messages' },
  'ai-6': { runs: 'as 4.3.19' },
  'ai-6-openai': { runs: 'chat, responses' },
  'ai-6-anthropic': { runs: 'messages' },
  ai: { runs: 'as 4.3.19; thinking, pictures, documents, structured output, embeddings' },
  '@ai-sdk/openai': { runs: 'chat, responses, references to items' },
  '@ai-sdk/anthropic': { runs: 'messages' },
  '@ai-sdk/openai-compatible': { runs: 'chat' },
  '@openai/agents': {
    runs: 'chat and responses, whole and in streams: tools with bounded numbers, with the starter model',
    lacks: 'without `setTracingDisabled(true)` it sends traces to its vendor',
  },
  'langchain-anthropic-0.1': { runs: 'text, streams, tools, errors' },
  '@langchain/openai': { runs: 'completions, several at once; pictures, embeddings' },
  '@langchain/core': { runs: 'with `@langchain/openai`' },
  instructor: {
    runs: 'tools and functions modes, with the starter model',
    lacks: 'a schema of zod 4 arrives empty: give it zod 3',
  },
  'ollama-0.5.0': {
    runs: "Ollama's API, whole and in streams: chat, thinking, tools, generate, embeddings, list, show, pull, load and unload, errors, abort; delete, copy, create and push are refused",
    lacks: 'has no `embed`, `ps`, `version`',
  },
  'ollama-0.5.9': { runs: 'the same; embed, ps', lacks: 'has no `version`' },
  ollama: { runs: 'the same; version' },
  '@langchain/ollama': { runs: 'text, streams, tools, structured output, embeddings' },
  'ollama-ai-provider': {
    runs: "Ollama's API with `ai` 4: text, streams, tools, embeddings",
    lacks: 'calls no tools in streams; of an error it shows the status alone',
  },
  'ollama-ai-provider-v2': {
    runs: 'with `ai` 7: text, streams, thinking, tools, structured output, embeddings',
    lacks: 'of an error it shows the status alone',
  },
  'cohere-ai': { runs: 'rerank and embed, by both of its clients' },
  voyageai: { runs: 'embeddings, rerank' },
}
