/** Finds a chat template's abilities by the variables that it reads and the tags that it writes, without running it. */

import type { TemplateFacts } from '../core/model.ts'

/** String literals in code. An unclosed one extends to the end, so that each character is read only once. */
const strings = /'(?:\\[\s\S]?|[^'\\])*(?:'|$)|"(?:\\[\s\S]?|[^"\\])*(?:"|$)/g
const tools = /(?<![\w.])(?:tools|functions)\b/
const calls = /\btool_calls\b/
const switches = /(?<![\w.])(?:enable_thinking|thinking_budget|thinking)\b/
const efforts = /\breasoning_effort\b/
const thoughts = /\b(?:reasoning_content|thinking)\b/
const tags = /<\/?think(?:ing)?>|\[THINK\]|<\|channel\|>|<seed:think>|<\|START_THINKING\|>/

/** Returns the facts of a template, by default of an empty one. */
export function readTemplate(template = ''): TemplateFacts {
  const code = codeOf(template)
  const names = code.replace(strings, "''")
  const thinks = thoughts.test(code) || tags.test(template)
  const reasoning = efforts.test(names) ? 'effort' : switches.test(names) ? 'toggle' : thinks ? 'always' : 'none'
  return { callsTools: tools.test(names) || calls.test(code), reasoning }
}

const ends: Readonly<Record<string, string>> = { '{': '}}', '%': '%}', '#': '#}' }

/** Returns the code of statements and expressions, one per line, without comments. */
function codeOf(template: string): string {
  const pieces: string[] = []
  for (let at = template.indexOf('{'); at !== -1; ) {
    const kind = template[at + 1] ?? ''
    const end = ends[kind]
    const close = end === undefined ? at : template.indexOf(end, at + 2)
    if (close === -1) break
    if (close > at && kind !== '#') pieces.push(template.slice(at + 2, close))
    at = template.indexOf('{', close > at ? close + 2 : at + 1)
  }
  return pieces.join('\n')
}
