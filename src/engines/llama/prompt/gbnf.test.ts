import { expect, test } from 'bun:test'
import { literal, renameRules, ruleBody, ruleNames, withoutRule, withValidStrings } from './gbnf.ts'

const grammar = 'root ::= "a root" item [root]* ( item | more-2 )\nitem ::= "\\"item\\""\nmore-2 ::= [^"\\]a]'

test('finds a rule and the rules it refers to, not what is quoted', () => {
  expect(ruleBody(grammar, 'item')).toBe('"\\"item\\""')
  expect(ruleBody(grammar, 'none')).toBeUndefined()
  expect(ruleNames(ruleBody(grammar, 'root') ?? '')).toEqual(['item', 'more-2'])
  expect(withoutRule(grammar, 'root')).toBe('item ::= "\\"item\\""\nmore-2 ::= [^"\\]a]')
})

test('renames rules and nothing else', () => {
  expect(renameRules(grammar, 'x-')).toBe(
    'x-root ::= "a root" x-item [root]* ( x-item | x-more-2 )\nx-item ::= "\\"item\\""\nx-more-2 ::= [^"\\]a]',
  )
})

test('literals hold quotes, line ends and control characters', () => {
  expect(literal('<think>\n"\\b\u0001\b')).toBe('"<think>\\n\\"\\\\b\\x01\\x08"')
})

test('strings and keys of further properties hold what JSON strings may', () => {
  const [fixed] = withValidStrings('json-string ::= "\\"" any "\\""\nend ::= "x"').split('\n')
  expect(fixed).toContain(String.raw`[^"\\\x7F\x00-\x1F] | "\\" ( ["\\/bfnrt] |`)
  const rule = 'root-additional-k ::= ["] ( [a] char+ | [^"a] char* )? ["]'
  expect(withValidStrings(`root ::= [^"]\n${rule}`)).toBe(
    'root ::= [^"]\nroot-additional-k ::= ["] ( [a] char+ | [^"\\\\\\x7F\\x00-\\x1Fa] char* )? ["]',
  )
})
