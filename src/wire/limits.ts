/**
 * Limits of counts in request bodies. docs/reference/limits.md is made of this table, and a test checks the parsers
 * against it.
 */
import { requestTexts } from '../core/texts.ts'

export interface Limit {
  /** Largest accepted count */
  readonly most: number
  /** Counted things in words */
  readonly counted: string
  /** Endpoints with this limit */
  readonly at: readonly string[]
  /** Error code of a request beyond the limit. Absent means `invalid_value`, with status 400. */
  readonly code?: string
  /** Setting whose default `most` is. Absent if the limit is fixed. */
  readonly setting?: string
}

const chats = ['chat/completions', 'responses', 'messages', 'api/chat']
const texts = [...chats, 'completions', 'fim/completions', 'api/generate']
const withLogprobs = ['chat/completions', 'responses', 'completions', 'api/chat', 'api/generate']

export const limits = {
  /** Each message costs time before a model sees it. A body has room for millions, more than any context holds. */
  messages: { most: 65_536, counted: 'messages', at: chats.filter((endpoint) => endpoint !== 'responses') },
  parts: { most: 65_536, counted: 'messages or items, and their content parts, pictures and calls, in all', at: chats },
  /** Most tools, more than any prompt holds */
  tools: { most: 1_024, counted: 'tools', at: chats },
  toolCharacters: { most: 2 * 1024 * 1024, counted: 'characters of all tools together, as JSON', at: chats },
  /** Every output token is searched for each string. */
  stopStrings: {
    most: 64,
    counted: 'different stop strings',
    at: texts.filter((endpoint) => endpoint !== 'responses'),
  },
  choices: { most: 8, counted: 'answers to one prompt (`n`)', at: ['chat/completions', 'completions'] },
  answers: { most: 128, counted: 'prompts times `n`', at: ['completions'] },
  alternatives: { most: 20, counted: 'alternatives to each token (`top_logprobs`, `logprobs`)', at: withLogprobs },
  answerChoices: {
    most: 1_000,
    counted: 'texts of `guided_choice`',
    at: ['chat/completions', 'responses', 'messages', 'completions'],
  },
  embeddingInputs: {
    most: requestTexts.embeddingInputs.usual,
    counted: 'texts to embed',
    at: ['embeddings', 'embed', 'v2/embed', 'api/embed'],
    code: 'too_many_inputs',
    setting: 'embedding-inputs',
  },
  rerankDocuments: {
    most: requestTexts.rerankDocuments.usual,
    counted: 'documents to rank',
    at: ['rerank', 'v2/rerank'],
    code: 'too_many_documents',
    setting: 'rerank-documents',
  },
  // llama.cpp took 2 s for as many line breaks, and cannot be stopped meanwhile.
  tokenizedCharacters: { most: 512 * 1024, counted: 'characters to cut into tokens', at: ['tokenize'] },
  detokenizedTokens: { most: 1024 * 1024, counted: 'tokens to turn into a text', at: ['detokenize'] },
  moderationInputs: { most: 32, counted: 'texts to judge', at: ['moderations'] },
  /** More than any context holds. */
  moderationCharacters: { most: 1024 * 1024, counted: 'characters to judge, of all texts', at: ['moderations'] },
  images: { most: 10, counted: 'pictures to make (`n`)', at: ['images/generations'] },
  imagePromptCharacters: { most: 32_000, counted: 'characters of a prompt for pictures', at: ['images/generations'] },
  speechCharacters: {
    most: 20_000,
    counted: 'characters to speak',
    at: ['audio/speech'],
    code: 'input_too_long',
  },
} as const satisfies Record<string, Limit>
