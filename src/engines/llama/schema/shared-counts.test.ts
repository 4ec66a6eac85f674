import { expect, test } from 'bun:test'
import { GrammarReader } from '../../../testing/read-grammar.ts'
import { withSharedCounts } from './shared-counts.ts'

test.each([
  [0, 65],
  [3, 100],
  [64, 64 * 64],
  [65, 4_000],
  [130, 130],
  [1, 5_000],
  [4_000, 4_097],
  [500, undefined],
])('texts of %p to %p characters, and no others, fit', (least, most) => {
  const grammar = withSharedCounts(`root ::= "<" [a-z]{${least},${most ?? ''}} ">"`)
  expect(grammar).not.toContain('000')
  const reader = new GrammarReader(grammar)
  const fits = (count: number) => reader.fits(`<${'x'.repeat(count)}>`)
  const inside = [least, least + 1, 64, 65, 127, 128, most ?? 9_000, (most ?? 9_000) - 1]
  const within = (count: number) => count >= least && count <= (most ?? 9_000)
  expect(inside.filter((count) => within(count) && !fits(count))).toEqual([])
  const outside = [0, 1, 63, 64, 65, least - 1, least - 2, (most ?? 0) + 1, (most ?? 0) + 64, 9_000]
  expect(outside.filter((count) => count >= 0 && !within(count) && fits(count))).toEqual([])
})

test('rules stay few, and equal things share them', () => {
  const grammar = withSharedCounts('root ::= item{0,4000} item{7,2000000000} ("," item)? [a-z]{100000}')
  expect(grammar.split('\n').length).toBeLessThan(700)
  expect(grammar.match(/ ::= item$/gm)).toHaveLength(1)
})

test.each([
  ['one thing', () => 'item'],
  ['things of their own', (index: number) => `item${index}`],
])('thousands of different counts of %s are at most the ones allowed', (_, thing) => {
  const counts = Array.from({ length: 3_000 }, (_, index) => 1_073_741_823 - 7_919 * index)
  const lines = counts.map((count, index) => `r${index} ::= ${thing(index)}{2,${count}}`)
  const grammar = withSharedCounts(lines.join('\n')).split('\n')
  expect(grammar.length).toBeLessThan(40_000)
  const written = grammar
    .slice(0, counts.length)
    .map((line) => Number(/-u(\d+)|\{0,(\d+)\}/.exec(line)?.slice(1).join('')))
  expect(written.filter((count, index) => !(count > 0 && count <= (counts[index] ?? 0) - 2))).toEqual([])
  expect(written[0]).toBe(1_073_741_821)
})

test('groups, literals and what stands around them are counted whole', () => {
  const grammar = withSharedCounts(
    'root ::= "[" ( item ("," item){0,1999} )? "]{100}" ("\\"]{99}"){70}\nitem ::= "1" | "23"',
  )
  const reader = new GrammarReader(grammar)
  const list = (count: number) =>
    `[${Array.from({ length: count }, (_, index) => (index % 3 ? '1' : '23')).join(',')}]{100}`
  const end = '"]{99}'.repeat(70)
  expect([0, 1, 2, 700, 2_000].filter((count) => !reader.fits(list(count) + end))).toEqual([])
  expect(reader.fits(list(2_001) + end)).toBe(false)
  expect(reader.fits(list(1) + end.slice(6))).toBe(false)
})

test('small counts stay as they are', () => {
  const grammar = 'root ::= [a]{64} ("," x){0,999} "{100}" [{200}]'
  expect(withSharedCounts(grammar)).toBe(grammar)
})
