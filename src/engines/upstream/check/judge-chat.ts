/** Verdicts on a server by its small answers. Pure. */
import { isObject, jsonIn, objectIn } from '../../../core/json.ts'
import type { ChatAnswer } from './checked-server.ts'
import { askedTool, askedWords } from './questions.ts'
import { notTried, type Verdict, yes } from './verdict.ts'

/** Returns whether thinking used up the whole limit, so that nothing can be judged. */
function isUnfinished({ end, text, calls }: ChatAnswer): boolean {
  return end === 'length' && text === '' && calls.length === 0
}

const unfinished = notTried('the model thought until the limit of tokens')

export function judgeChat({ text, reasoningTokens }: ChatAnswer): Verdict {
  return text !== '' || reasoningTokens > 0 ? yes : { word: 'no', note: 'the answer is empty' }
}

export function judgeUsage({ usage }: Pick<ChatAnswer, 'usage'>): Verdict {
  if (usage === 'each') return yes
  if (usage === 'last')
    return { word: 'partly', note: 'it counts at the end alone: a request whose client leaves is estimated' }
  return { word: 'no', note: 'it does not count tokens: what requests cost is estimated' }
}

/** Pattern of calls that the server left unparsed in the text. */
const callInText = /<\|?tool_call|\[TOOL_CALLS\]|<function[=>]|<\|python_tag\|>|"(?:arguments|parameters)"\s*:/

/** Judges an answer in which calling was optional. */
export function judgeTools(answer: ChatAnswer): Verdict {
  const [call] = answer.calls
  const lacking = { advice: 'tools', lack: 'tools' } as const
  if (call !== undefined) {
    if (call.name === askedTool.name && objectIn(call.argumentsText) !== undefined) return yes
    return { word: 'no', note: 'the arguments of a call are no JSON object, or its tool is unknown', ...lacking }
  }
  if (callInText.test(answer.text))
    return { word: 'no', note: 'calls come as text: no parser takes them out there', ...lacking }
  if (isUnfinished(answer)) return unfinished
  return { word: 'partly', note: 'it takes tools, and the model answered in words this time' }
}

/** Judges an answer for which a call of the asked tool was demanded. */
export function judgeNamedTool(answer: ChatAnswer): Verdict {
  const [call] = answer.calls
  if (call?.name === askedTool.name && objectIn(call.argumentsText) !== undefined) return yes
  if (isUnfinished(answer)) return unfinished
  return { word: 'no', note: 'it was told to call one tool, and did not', lack: 'named-tools' }
}

/** Judges an answer whose schema allows none of the answers that the question suggests. */
export function judgeSchema(answer: ChatAnswer): Verdict {
  const value = jsonIn(answer.text)
  if (isObject(value) && askedWords.some((word) => value.word === word)) return yes
  if (isUnfinished(answer)) return unfinished
  return { word: 'no', note: 'the answer does not keep to the schema', lack: 'schemas' }
}

/** Judges the answer of a request with thinking on. */
export function judgeThinking({ text, reasoningTokens, statedReasoningTokens }: ChatAnswer): Verdict {
  if (text.trimStart().startsWith('<think>')) {
    const note = 'thinking comes in the text, in <think> tags: this server takes it out'
    return { word: 'partly', note, advice: 'thinking', lack: 'thinking-field' }
  }
  if (text.includes('</think>'))
    return { word: 'no', note: 'thinking comes in the text, where clients see it', advice: 'thinking' }
  if (reasoningTokens > 0) return yes
  if (statedReasoningTokens > 0) return { word: 'partly', note: 'the model thinks, and its server does not show it' }
  return { word: 'no', note: 'the model did not think when it was told to', advice: 'thinking', lack: 'thinking' }
}

/** Judges the answer of a request with thinking off. */
export function judgeThinkingOff({ text, reasoningTokens }: ChatAnswer): Verdict {
  // Some templates write an empty block if thinking is off.
  const block = /^\s*<think>(.*?)(<\/think>|$)/s.exec(text)?.[1]?.trim() ?? ''
  if (reasoningTokens === 0 && block === '') return yes
  const note = 'the model thinks all the same: it is left out here, and counted'
  return { word: 'no', note, lack: 'thinking-switch' }
}

export function judgeLogprobs(answer: ChatAnswer): Verdict {
  if (answer.logprobs > 0) return yes
  if (isUnfinished(answer)) return unfinished
  return { word: 'no', note: 'it takes the wish and tells none', advice: 'logprobs', lack: 'logprobs' }
}

/**
 * Requests at the server before the answer began, while it came, and after it was abandoned. Undefined if not
 * reported.
 */
export interface SeenLoad {
  readonly before: number | undefined
  readonly during: number | undefined
  readonly after: number | undefined
}

export function judgeCancel({ before, during, after }: SeenLoad): Verdict {
  const left = 'the connection was closed'
  if (before === undefined || after === undefined)
    return { ...notTried(`${left}; what it does then, it does not tell`), advice: 'cancel' }
  if (before > 0) return notTried(`${left}; other requests run there: check again when it is idle`)
  if (during === 0) return notTried(`${left}; it did not tell of the request while that ran`)
  return after === 0 ? yes : { word: 'no', note: 'it goes on with a request whose client has left' }
}
