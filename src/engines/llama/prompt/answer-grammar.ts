/** The grammar that an answer keeps to: tool calls, a schema, or either. Made of the rules that llama.cpp writes. */
import type { Tool } from '../../../core/chat.ts'
import { refusedValue } from '../../engine-errors.ts'
import type { NativeChatFormat, NativeGrammarTrigger } from '../native.ts'
import type { ContentFrame } from './content-frame.ts'
import { literal, renameRules, ruleBody, ruleNames, withoutRule, withValidStrings } from './gbnf.ts'
import { thinkingInPrompt } from './thinking.ts'

export interface AnswerGrammar {
  /** GBNF with the rule `root`; '' for any text. */
  readonly text: string
  /** Only applies from a trigger on. */
  readonly isLazy: boolean
  readonly triggers: readonly NativeGrammarTrigger[]
}

export const anyText: AnswerGrammar = { text: '', isLazy: false, triggers: [] }

/** Applies once the model begins a call; until then it writes what it likes. */
export function lazyGrammar({ grammar, grammarLazy, grammarTriggers }: NativeChatFormat): AnswerGrammar {
  return grammarLazy && grammar !== ''
    ? { text: withValidStrings(grammar), isLazy: true, triggers: grammarTriggers }
    : anyText
}

/**
 * For formats that write calls as bare JSON, with no mark that llama.cpp could wait for: applies once an answer begins as
 * a call of one of these tools does. Any text where the format is none of these.
 */
export function bareCallGrammar(format: NativeChatFormat, callGrammar: string, tools: readonly Tool[]): AnswerGrammar {
  const names = tools.map((tool) => tool.name)
  const [name = ''] = names
  const isBare = format.parse(`{"name": ${JSON.stringify(name)}`).toolCalls[0]?.name === name
  const calls = callRules(callGrammar)
  if (!isBare || calls.length === 0) return anyText
  const any = names.map((each) => each.replace(/[^\w]/g, '\\$&')).join('|')
  const value = String.raw`^\s*(\{\s*(?:"type"\s*:\s*"function"\s*,\s*)?"name"\s*:\s*"(?:${any})")`
  const text = `${withoutRule(callGrammar, 'root')}\nroot ::= ${calls.join(' | ')}`
  return { text: withValidStrings(text), isLazy: true, triggers: [{ type: 'pattern', value }] }
}

interface ForcedGrammarOptions {
  readonly format: NativeChatFormat
  /** The model may think first. */
  readonly mayThink: boolean
  /** Grammar of a rendering with `toolChoice: 'required'`, when the answer may be a call. */
  readonly callGrammar?: string
  /** GBNF of the answer's text, when it may be text, and what the format wants around it. */
  readonly schema?: { readonly grammar: string; readonly frame: ContentFrame }
}

/**
 * Applies from the first token behind the thinking. llama.cpp's own grammars for this allow any text before a call, in
 * which a weak model babbles until its limit; here the call comes at once.
 */
export function forcedGrammar({ format, mayThink, callGrammar, schema }: ForcedGrammarOptions): AnswerGrammar {
  const calls = callGrammar === undefined ? [] : callRules(callGrammar)
  const text = schema === undefined ? [] : [framed(schema.frame)]
  if (calls.length + text.length === 0) throw refusedValue(cannotCall, 'tool_choice')
  const parts = [
    ...(callGrammar === undefined ? [] : [withoutRule(callGrammar, 'root')]),
    ...(schema === undefined ? [] : [renameRules(schema.grammar, schemaPrefix)]),
    `${bodyRule} ::= ${[...calls, ...text].join(' | ')}`,
    `root ::= ${root(format, mayThink)}`,
  ]
  return { text: withValidStrings(parts.join('\n')), isLazy: false, triggers: [] }
}

const cannotCall = "This model's chat template knows no tool calls, so none can be required."
const schemaPrefix = 'inferd-schema-'
const bodyRule = 'inferd-answer'

/** Rules whose names llama.cpp gives to calls, of those that its own root is made of. */
function callRules(grammar: string): string[] {
  return ruleNames(ruleBody(grammar, 'root') ?? '').filter((name) => name.includes('tool'))
}

function framed({ open, close }: ContentFrame): string {
  const before = open === '' ? '' : `${literal(open)} `
  const after = close === '' ? '' : ` ${literal(close)}?`
  return `${before}${schemaPrefix}root${after}`
}

/** The grammar sleeps inside a block of thinking: what ends it is no part of it. */
function root(format: NativeChatFormat, mayThink: boolean): string {
  const afterThinking = `${connection(format)}${bodyRule}`
  const inPrompt = thinkingInPrompt(format)
  if (inPrompt === 'open') return afterThinking
  if (!mayThink || inPrompt === 'closed' || format.thinkingStartTag === '') return bodyRule
  return `${bodyRule} | ${literal(format.thinkingStartTag)} ${afterThinking}`
}

/** What may or must stand between thinking and answer: white space, or the beginning of another message. */
function connection(format: NativeChatFormat): string {
  const { generationPrompt, thinkingStartTag, thinkingEndTags } = format
  const start = thinkingInPrompt(format) === 'open' ? '' : thinkingStartTag
  const thought = `${start}a${thinkingEndTags[0] ?? ''}`
  if (format.parse(`${thought}\n\n`).fits) return '[\\n ]{0,3} '
  return generationPrompt !== '' && format.parse(thought + generationPrompt).fits ? `${literal(generationPrompt)} ` : ''
}
