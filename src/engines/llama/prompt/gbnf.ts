/** Parts of GBNF, llama.cpp's grammar language, that are needed to join two grammars. */

/** Matches a rule name, or a literal or set that may contain something like a name. */
const token = /"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[a-zA-Z][a-zA-Z0-9-]*/g

/** Returns the right side of a rule; undefined if there is no such rule. */
export function ruleBody(grammar: string, name: string): string | undefined {
  return grammar
    .split('\n')
    .find((line) => line.startsWith(`${name} ::= `))
    ?.slice(`${name} ::= `.length)
}

/** Returns the names of the rules that a right side refers to, each once. */
export function ruleNames(body: string): string[] {
  return [...new Set((body.match(token) ?? []).filter((text) => /^[a-zA-Z]/.test(text)))]
}

/** Returns the same grammar with `prefix` in front of every rule's name. */
export function renameRules(grammar: string, prefix: string): string {
  return grammar.replace(token, (text) => (/^[a-zA-Z]/.test(text) ? prefix + text : text))
}

/** Returns the grammar without one rule. */
export function withoutRule(grammar: string, name: string): string {
  return grammar
    .split('\n')
    .filter((line) => !line.startsWith(`${name} ::= `))
    .join('\n')
}

/** Returns a literal. */
export function literal(text: string): string {
  return JSON.stringify(text).replace(/\\(?:u00(..)|(.))/g, (escaped, code?: string, letter?: string) => {
    if (code !== undefined) return `\\x${code}`
    return letter === 'b' ? '\\x08' : letter === 'f' ? '\\x0C' : escaped
  })
}

/**
 * Corrects two rules of llama.cpp's that allow invalid JSON: a backslash or a control character at the beginning of
 * keys of further properties, and in strings without a schema.
 */
export function withValidStrings(grammar: string): string {
  return grammar
    .replace(/^\S*-k ::= \["\] .*$/gm, (rule) => rule.replaceAll('[^"', '[^"\\\\\\x7F\\x00-\\x1F'))
    .replace(/^json-string ::= .*$/m, () => jsonString)
}

const jsonString = String.raw`json-string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" ( ["\\/bfnrt] | "u" [0-9a-fA-F]{4} ) )* "\""`
