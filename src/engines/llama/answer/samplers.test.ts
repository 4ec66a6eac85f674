import { expect, test } from 'bun:test'
import type { ChatRequest, Sampling } from '../../../core/chat.ts'
import { textFormat } from '../../../testing/chat-format.ts'
import { chatRequest } from '../../../testing/chat-request.ts'
import type { PromptSetup } from '../prompt/prepare-prompt.ts'
import { samplerOptions } from './samplers.ts'

const format: PromptSetup = {
  prompt: '',
  pictures: [],
  format: {
    ...textFormat,
    prompt: '',
    generationPrompt: '<bot>',
    grammar: 'root ::= "not this one"',
    grammarLazy: true,
    grammarTriggers: [],
    preservedTokens: ['<think>'],
    additionalStops: ['<end>'],
    thinkingStartTag: '<think>',
    thinkingEndTags: ['</think>'],
  },
  grammar: { text: 'root ::= "a"', isLazy: false, triggers: [] },
  grammarPrefix: '',
  thinking: { enableThinking: true, budgetTokens: 7, templateVariables: {} },
  bannedTokens: [],
}

function request(sampling: Sampling, more: Partial<ChatRequest> = {}): ChatRequest {
  return chatRequest({ sampling, ...more })
}

function settings(choice: number, randomSeed: number) {
  return { choice, randomSeed }
}

test('what the request does not say is the engine’s default', () => {
  const options = samplerOptions(request({ temperature: 1.5 }), format, settings(0, 0))
  expect(options).toMatchObject({ temperature: 1.5, topK: 40, topP: 0.95, minP: 0.05 })
})

test('an explicit zero is not "nothing said"', () => {
  const options = samplerOptions(request({ temperature: 0, topK: 0, minP: 0 }), format, settings(0, 0))
  expect(options).toMatchObject({ temperature: 0, topK: 0, minP: 0 })
})

test('top_p 0 is greedy', () => {
  expect(samplerOptions(request({ temperature: 1, topP: 0 }), format, settings(0, 0)).temperature).toBe(0)
})

test('each choice has its own seed, which wraps at 32 bits', () => {
  expect(samplerOptions(request({ seed: 5 }), format, settings(2, 99)).seed).toBe(7)
  expect(samplerOptions(request({ seed: 0xffffffff }), format, settings(1, 99)).seed).toBe(0)
  expect(samplerOptions(request({}), format, settings(1, 99)).seed).toBe(100)
})

test('the template’s own stops are the sampler’s, log probabilities only when asked', () => {
  expect(samplerOptions(request({}, { stop: ['x'] }), format, settings(0, 0))).toMatchObject({
    stops: ['<end>'],
    topLogprobs: -1,
    preservedTokens: ['<think>'],
  })
  expect(samplerOptions(request({}, { topLogprobs: 0 }), format, settings(0, 0)).topLogprobs).toBe(0)
})

test('grammar and thinking budget are the prepared ones, not the template’s', () => {
  expect(samplerOptions(request({}), format, settings(0, 0))).toMatchObject({
    grammar: 'root ::= "a"',
    grammarLazy: false,
    generationPrompt: '<bot>',
    thinkingStartTag: '<think>',
    thinkingEndTags: ['</think>'],
    thinkingBudgetTokens: 7,
  })
})

test('logit bias becomes a flat list of token and bias', () => {
  const options = samplerOptions(
    request({
      logitBias: [
        [5, -100],
        [7, 2.5],
      ],
    }),
    format,
    settings(0, 0),
  )
  expect(options.logitBias).toEqual([5, -100, 7, 2.5])
  const banning = { ...format, bannedTokens: [9] }
  expect(samplerOptions(request({ logitBias: [[5, 1]] }), banning, settings(0, 0)).logitBias).toEqual([5, 1, 9, -100])
})
