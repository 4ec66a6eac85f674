import { expect, test } from 'bun:test'
import { nextKind, noHistory, type StepKind, withTurn } from './step-policy.ts'

/** Returns the kinds of `count` steps while there is always work of the busy kinds. */
function kinds(count: number, ...busy: readonly StepKind[]): string {
  let history = noHistory
  const next = () => {
    const kind = nextKind((each) => busy.includes(each), history)
    if (kind === undefined) return 'nothing'
    history = withTurn(history, kind)
    return kind
  }
  return Array.from({ length: count }, next).join(' ')
}

test('tokens come every other time, and the others take turns between them', () => {
  expect(kinds(8, 'tokens', 'prompts', 'pictures', 'encoding')).toBe(
    'tokens prompts tokens pictures tokens encoding tokens prompts',
  )
  expect(kinds(4, 'tokens', 'prompts')).toBe('tokens prompts tokens prompts')
})

test('without tokens the others take turns, and one kind alone has all of them', () => {
  expect(kinds(4, 'prompts', 'encoding')).toBe('prompts encoding prompts encoding')
  expect(kinds(2, 'pictures')).toBe('pictures pictures')
  expect(kinds(2, 'tokens')).toBe('tokens tokens')
  expect(kinds(1)).toBe('nothing')
})
