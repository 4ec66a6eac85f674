/** Grammar of an answer: tool calls, a schema, or either. Built from llama.cpp's rules. */
import type { Tool } from '../../../core/chat.ts'
import { refusedValue } from '../../shared/engine-errors.ts'
import type { NativeChatFormat, NativeGrammarTrigger } from '../native.ts'
import type { ContentFrame } from './content-frame.ts'
import { literal, renameRules, ruleBody, ruleNames, withoutRule, withValidStrings } from './gbnf.ts'
import { thinkingInPrompt } from './thinking.ts'

export interface AnswerGrammar {
  /** GBNF with the rule `root`; '' for any text. */
  readonly text: string
  /** True if it applies only from a trigger on. */
  readonly isLazy: boolean
  readonly triggers: readonly NativeGrammarTrigger[]
}

export const anyText: AnswerGrammar = { text: '', isLazy: false, triggers: [] }

/** Returns a grammar that applies once the model begins a call. Text before it is free. */
export function lazyGrammar({ grammar, grammarLazy, grammarTriggers }: NativeChatFormat): AnswerGrammar {
  return grammarLazy && grammar !== ''
    ? { text: withValidStrings(grammar), isLazy: true, triggers: grammarTriggers }
    : anyText
}

/**
 * Returns a grammar for formats that write calls as bare JSON, without a mark that llama.cpp could wait for: it applies
 * once an answer begins like a call of one of these tools. Any text for other formats.
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
  /** True if the model may think first. */
  readonly mayThink: boolean
  /** Grammar of a rendering with `toolChoice: 'required'`, if the answer may be a call. */
  readonly callGrammar?: string
  /** GBNF of the answer's text, if it may be text, and the format's marks around it. */
  readonly schema?: { readonly grammar: string; readonly frame: ContentFrame }
}

/**
 * Returns a grammar that applies from the first token after the thinking. llama.cpp's own grammars for this allow any
 * text before a call, in which a weak model babbles until its limit; here the call comes at once.
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

/** Returns the names of the rules in llama.cpp's root that stand for calls. */
function callRules(grammar: string): string[] {
  return ruleNames(ruleBody(grammar, 'root') ?? '').filter((name) => name.includes('tool'))
}

function framed({ open, close }: ContentFrame): string {
  const before = open === '' ? '' : `${literal(open)} `
  const after = close === '' ? '' : ` ${literal(close)}?`
  return `${before}${schemaPrefix}root${after}`
}

/** Returns the root rule. The grammar is inactive inside thinking, whose end tag it does not include. */
function root(format: NativeChatFormat, mayThink: boolean): string {
  const afterThinking = `${connection(format)}${bodyRule}`
  const inPrompt = thinkingInPrompt(format)
  if (inPrompt === 'open') return afterThinking
  if (!mayThink || inPrompt === 'closed' || format.thinkingStartTag === '') return bodyRule
  return `${bodyRule} | ${literal(format.thinkingStartTag)} ${afterThinking}`
}

/** Returns the rule between thinking and answer: white space, or the beginning of another message. */
function connection(format: NativeChatFormat): string {
  const { generationPrompt, thinkingStartTag, thinkingEndTags } = format
  const start = thinkingInPrompt(format) === 'open' ? '' : thinkingStartTag
  const thought = `${start}a${thinkingEndTags[0] ?? ''}`
  if (format.parse(`${thought}\n\n`).fits) return '[\\n ]{0,3} '
  return generationPrompt !== '' && format.parse(thought + generationPrompt).fits ? `${literal(generationPrompt)} ` : ''
}
