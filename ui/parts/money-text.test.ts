import { expect, test } from 'bun:test'
import { decimalsOf, moneyText } from './money-text.ts'

const texts: readonly (readonly [usd: string, text: string, exact: string | undefined])[] = [
  ['0', '$0', undefined],
  ['0.000', '$0', undefined],
  ['12.4', '$12.40', undefined],
  ['20', '$20.00', undefined],
  ['4.203114', '$4.203114', undefined],
  ['0.5', '$0.50', undefined],
  ['0.000121', '$0.000121', undefined],
  ['-0.000121', '-$0.000121', undefined],
  ['1234567.891', '$1,234,567.891', undefined],
  ['0.000000777', '< $0.000001', '$0.000000777'],
  ['-0.000000001', '> -$0.000001', '-$0.000000001'],
  ['9.999999999', '$9.999999', '$9.999999999'],
]

for (const [usd, text, exact] of texts) {
  test(`${usd} USD is ${text}`, () => {
    expect(moneyText(usd)).toEqual({ text, exact })
  })
}

test('the decimals of an amount are those that are shown', () => {
  expect(['0', '12.4', '0.000121', '0.000000777', '20'].map(decimalsOf)).toEqual([0, 2, 6, 6, 2])
})
