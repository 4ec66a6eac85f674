/**
 * Calls of models whose template knows none: the model writes them as marked JSON under a grammar, and they are parsed
 * here.
 */
import type { Tool } from '../../../core/chat.ts'
import { callMarks } from '../../shared/messages/write-turns.ts'
import { jsonEnd } from '../answer/json-progress.ts'
import type { NativeChatFormat, NativeModel, NativeParsedMessage } from '../native.ts'
import { literal, renameRules } from './gbnf.ts'
import { heldLength } from './separate-thinking.ts'
import { thinkingInPrompt } from './thinking.ts'

const { open, close } = callMarks

interface CallOptions {
  readonly tools: readonly Tool[]
  readonly toolChoice: 'auto' | 'required' | 'none'
  readonly parallelToolCalls: boolean
}

/**
 * Returns the format with calls, as llama.cpp makes it for templates that support them. Rejects with llama.cpp's words.
 */
export async function withWrittenCalls(
  model: Pick<NativeModel, 'schemaGrammar'>,
  format: NativeChatFormat,
  { tools, toolChoice, parallelToolCalls }: CallOptions,
): Promise<NativeChatFormat> {
  const preservedTokens = [...format.preservedTokens, open, close]
  if (toolChoice === 'none') return { ...format, preservedTokens, parse: (text) => format.parse(text) }
  return {
    ...format,
    preservedTokens,
    grammar: await callGrammar(model, tools, parallelToolCalls),
    grammarLazy: toolChoice === 'auto',
    grammarTriggers: [{ type: 'word', value: open }],
    parse: (text) => parse(format, text),
  }
}

async function callGrammar(model: Pick<NativeModel, 'schemaGrammar'>, tools: readonly Tool[], isParallel: boolean) {
  const rules = await Promise.all(
    tools.map(async ({ name, parameters }, index) => {
      const prefix = `tool-${index}-`
      const grammar = await model.schemaGrammar(JSON.stringify(parameters))
      const head = literal(`{"name": ${JSON.stringify(name)}, "arguments": `)
      return `${renameRules(grammar, prefix)}\ntool-${index} ::= ${head} ${prefix}root "}"`
    }),
  )
  const names = tools.map((_, index) => `tool-${index}`)
  const call = `${literal(`${open}\n`)} (${names.join(' | ')}) ${literal(`\n${close}`)}`
  const more = isParallel ? ` (${literal('\n')} tool-call)*` : ''
  return [...rules, `tool-call ::= ${call}`, `tool-calls ::= tool-call${more}`, 'root ::= tool-calls'].join('\n')
}

/** Text between the mark and the arguments. The name is JSON: a caller may have begun the answer with anything. */
const callHead =
  /\s*\{\s*"name"\s*:\s*("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")\s*,\s*"arguments"\s*:\s*/uy
const callTail = /\s*\}\s*/y

function parse(format: NativeChatFormat, text: string): NativeParsedMessage {
  const start = text.indexOf(open, thinkingEnd(format, text))
  if (start < 0) {
    const held = heldLength(text, [open])
    const message = format.parse(held === 0 ? text : text.slice(0, -held))
    return held === 0 ? message : { ...message, isComplete: false }
  }
  const before = format.parse(text.slice(0, start))
  const toolCalls: { name: string; arguments: string }[] = []
  let { last } = before
  let at = start
  while (text.startsWith(open, at)) {
    callHead.lastIndex = at + open.length
    const head = callHead.exec(text)
    if (head === null)
      return {
        ...before,
        toolCalls,
        ...(last && { last }),
        fits: before.fits && isBeginning(text.slice(at)),
        isComplete: false,
      }
    const from = callHead.lastIndex
    const length = jsonEnd(text.slice(from))
    const to = length === undefined ? text.length : from + length
    toolCalls.push({ name: JSON.parse(head[1] ?? '""'), arguments: text.slice(from, to) })
    last = { kind: 'arguments', start: from, end: to }
    if (length === undefined) return { ...before, toolCalls, last, isComplete: false }
    callTail.lastIndex = to
    at = callTail.test(text) ? callTail.lastIndex : to
    if (!text.startsWith(close, at)) return { ...before, toolCalls, last, isComplete: false }
    at += close.length
    at += text.slice(at).search(/\S|$/)
  }
  return { ...before, toolCalls, ...(last && { last }), isComplete: true }
}

/** Returns whether the text so far is the beginning of a call, white space aside. */
function isBeginning(call: string): boolean {
  const [, key = '', rest = ''] = /^([^:]*:?)\s*(?:"(?:[^"\\]|\\.)*"?)?([\s\S]*)$/.exec(call.slice(open.length)) ?? []
  const isBegun = (whole: string, part: string) => whole.startsWith(part.replace(/\s/g, ''))
  return isBegun('{"name":', key) && isBegun(',"arguments":', rest)
}

/** Returns where the answer's text begins: the end of the text while the model still thinks. */
function thinkingEnd(format: NativeChatFormat, text: string): number {
  const { thinkingStartTag, thinkingEndTags } = format
  const thinks =
    thinkingInPrompt(format) === 'open' || (thinkingStartTag !== '' && text.trimStart().startsWith(thinkingStartTag))
  if (!thinks) return 0
  const ends = thinkingEndTags.map((tag) => text.indexOf(tag)).filter((at) => at >= 0)
  return ends.length === 0 ? text.length : Math.min(...ends)
}
