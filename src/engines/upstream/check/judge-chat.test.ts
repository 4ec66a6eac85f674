import { expect, test } from 'bun:test'
import type { ChatAnswer } from './checked-server.ts'
import {
  judgeCancel,
  judgeChat,
  judgeLogprobs,
  judgeNamedTool,
  judgeSchema,
  judgeThinking,
  judgeThinkingOff,
  judgeTools,
  type SeenLoad,
} from './judge-chat.ts'
import type { Verdict, Word } from './verdict.ts'

function answer(parts: Partial<ChatAnswer>): ChatAnswer {
  return {
    text: '',
    calls: [],
    logprobs: 0,
    end: 'stop',
    usage: 'each',
    reasoningTokens: 0,
    statedReasoningTokens: 0,
    ...parts,
  }
}

const call = (argumentsText: string, name = 'get_weather') => ({ calls: [{ name, argumentsText }] })
const cut = { end: 'length', reasoningTokens: 64 } as const

test.each<[string, (answer: ChatAnswer) => Verdict, Partial<ChatAnswer>, string]>([
  ['an answer', judgeChat, { text: 'Hi' }, 'yes'],
  ['thinking alone', judgeChat, cut, 'yes'],
  ['nothing', judgeChat, {}, 'no'],
  ['a call', judgeTools, call('{"city":"Paris"}'), 'yes'],
  ['a call without arguments', judgeTools, call('{}'), 'yes'],
  ['a call with no JSON', judgeTools, call('{"city":'), 'no: tools'],
  ['a call with a list', judgeTools, call('[]'), 'no: tools'],
  ['a call of no tool', judgeTools, call('{}', 'other'), 'no: tools'],
  ['words', judgeTools, { text: 'It may rain: get_weather tells.' }, 'partly'],
  ['thinking that was cut', judgeTools, cut, 'not tried'],
  ['a call in tags', judgeTools, { text: '<tool_call>{"name":"get_weather"}' }, 'no: tools'],
  ['a call in brackets', judgeTools, { text: '[TOOL_CALLS][{"name": "get_weather"}]' }, 'no: tools'],
  ['a call as bare JSON', judgeTools, { text: '{"name":"get_weather","parameters": {"city":"Paris"}}' }, 'no: tools'],
  ['the named call', judgeNamedTool, call('{"city":"Paris"}'), 'yes'],
  ['words in place of the named call', judgeNamedTool, { text: 'Sunny.' }, 'no: named-tools'],
  ['a word of the schema', judgeSchema, { text: ' {"word":"plumbago"}\n' }, 'yes'],
  ['another word', judgeSchema, { text: '{"word":"hello"}' }, 'no: schemas'],
  ['JSON in a fence', judgeSchema, { text: '```json\n{"word":"zeugma"}\n```' }, 'no: schemas'],
  ['thinking in place of the schema', judgeSchema, cut, 'not tried'],
  ['thinking', judgeThinking, { reasoningTokens: 3, text: '391' }, 'yes'],
  ['thinking in tags', judgeThinking, { text: '\n<think>Well' }, 'partly: thinking-field'],
  ['thinking that the template began', judgeThinking, { text: 'Well</think>391' }, 'no'],
  ['thinking that is hidden', judgeThinking, { text: '391', statedReasoningTokens: 9 }, 'partly'],
  ['no thinking', judgeThinking, { text: '391' }, 'no: thinking'],
  ['no thinking, as told', judgeThinkingOff, { text: '391' }, 'yes'],
  ['an empty block', judgeThinkingOff, { text: '<think>\n\n</think>\n\n391' }, 'yes'],
  ['a block that is not empty', judgeThinkingOff, { text: '<think>\nWell\n</think>391' }, 'no: thinking-switch'],
  ['thinking all the same', judgeThinkingOff, { reasoningTokens: 3 }, 'no: thinking-switch'],
  ['log probabilities', judgeLogprobs, { text: 'Hi', logprobs: 1 }, 'yes'],
  ['none of them', judgeLogprobs, { text: 'Hi' }, 'no: logprobs'],
])('%s', (_, judge, parts, expected) => {
  const { word, lack } = judge(answer(parts))
  expect([word, lack].filter((part) => part !== undefined).join(': ')).toBe(expected)
})

test.each<[string, SeenLoad, Word]>([
  ['ended', { before: 0, during: 1, after: 0 }, 'yes'],
  ['went on', { before: 0, during: 1, after: 1 }, 'no'],
  ['had other requests', { before: 2, during: 2, after: 2 }, 'not tried'],
  ['never showed it', { before: 0, during: 0, after: 0 }, 'not tried'],
  ['does not tell', { before: undefined, during: undefined, after: undefined }, 'not tried'],
])('a server that %s after its client left', (_, load, word) => {
  expect(judgeCancel(load).word).toBe(word)
})
