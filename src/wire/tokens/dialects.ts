/** Endpoints of tokenizers and chat templates, in the shapes of vLLM and llama-server. */
import type { TokenizerFacts } from '../../core/tokens.ts'
import type { WorkEvent } from '../../core/work.ts'
import type { AnswerCollector, WorkCall, WorkDialect } from '../dialect.ts'
import { DetokenizeBody, parseDetokenize, parseTokenizerInfo, TokenizerInfoQuery } from './parse-detokenize.ts'
import {
  ApplyTemplateBody,
  parseApplyTemplate,
  parseTokenize,
  TokenizeBody,
  type TokenizeCall,
} from './parse-tokenize.ts'
import { TokenizeAnswer } from './tokenize-answer.ts'

type TokensEvent = WorkEvent<'tokens'>
type TokensDialect<Call extends WorkCall = WorkCall> = WorkDialect<Call, TokensEvent>

/** POST /tokenize. */
export const tokenizeDialect: TokensDialect<TokenizeCall> = {
  endpoint: 'tokenize',
  kind: 'tokens',
  isModelOptional: true,
  body: TokenizeBody,
  parse: parseTokenize,
  collector: (call) => new TokenizeAnswer(call),
}

/** POST /detokenize: the text in the field of either server. */
export const detokenizeDialect: TokensDialect = {
  endpoint: 'detokenize',
  kind: 'tokens',
  isModelOptional: true,
  body: DetokenizeBody,
  parse: parseDetokenize,
  collector: () => textCollector((text) => ({ prompt: text, content: text })),
}

/** POST /apply-template, as llama-server. */
export const applyTemplateDialect: TokensDialect = {
  endpoint: 'apply-template',
  kind: 'tokens',
  isModelOptional: true,
  body: ApplyTemplateBody,
  parse: parseApplyTemplate,
  collector: () => textCollector((prompt) => ({ prompt })),
}

/** GET /tokenizer_info, as vLLM. */
export const tokenizerInfoDialect: TokensDialect = {
  endpoint: 'tokenizer_info',
  kind: 'tokens',
  isModelOptional: true,
  body: TokenizerInfoQuery,
  parse: parseTokenizerInfo,
  collector: () =>
    factsCollector((facts) => ({
      tokenizer_class: 'inferd',
      bos_token: facts.startToken ?? null,
      eos_token: facts.endToken ?? null,
      pad_token: facts.padToken ?? null,
      chat_template: facts.chatTemplate ?? null,
      model_max_length: facts.contextTokens,
    })),
}

function textCollector(toAnswer: (text: string) => object): AnswerCollector<TokensEvent> {
  const pieces: string[] = []
  return {
    push: (event) => {
      if (event.type === 'prompt-text') pieces.push(event.text)
    },
    end: () => toAnswer(pieces.join('')),
  }
}

function factsCollector(toAnswer: (facts: TokenizerFacts) => object): AnswerCollector<TokensEvent> {
  let facts: TokenizerFacts | undefined
  return {
    push: (event) => {
      if (event.type === 'tokenizer') facts = event
    },
    end: () => {
      if (facts === undefined) throw new Error('the engine told nothing of its tokenizer: this is a bug')
      return toAnswer(facts)
    },
  }
}
