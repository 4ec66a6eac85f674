import { expect, test } from 'bun:test'
import { openReasoning, sealReasoning } from './sealed-reasoning.ts'

test('a token gives back the text that it was made of', () => {
  for (const text of ['', 'Hm.', 'Zeilen\nund 🙂 "Zeichen"', 'x'.repeat(100_000)]) {
    const token = sealReasoning(text)
    expect(token).toStartWith('inferd1:')
    expect(openReasoning(token)).toBe(text)
  }
})

test('a cut, changed or foreign token is none of ours', () => {
  const token = sealReasoning('What was I thinking?')
  const changed = token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
  for (const other of [token.slice(0, -1), changed, `${token}A`, token.slice(1), 'inferd1:', 'gAAAAABk', '']) {
    expect(openReasoning(other)).toBeUndefined()
  }
})
