import { expect, test } from 'bun:test'
import { readCounts, readFlags } from './command-line.ts'

const defaults = { rounds: 3, promptTokens: 64, only: '', quick: false }

test('a flag that is given replaces its default and has the type of it', () => {
  expect(readFlags(defaults, [])).toEqual(defaults)
  expect(readFlags(defaults, ['--prompt-tokens', '8', '--only', 'text', '--quick'])).toEqual({
    rounds: 3,
    promptTokens: 8,
    only: 'text',
    quick: true,
  })
})

test.each([[['--rounds', 'x']], [['--rounds=-1']], [['--round', '2']], [['--promptTokens', '2']]])(
  '%j is refused',
  (args) => {
    expect(() => readFlags(defaults, args)).toThrow()
  },
)

test('a list of counts holds positive whole numbers alone', () => {
  expect(readCounts('streams', '8,1,32')).toEqual([8, 1, 32])
  for (const list of ['', '1,', '0', '1.5', 'x']) expect(() => readCounts('streams', list)).toThrow('--streams')
})
