import { expect, test } from 'bun:test'
import { withRealDates } from './real-dates.ts'

test('dates get the pattern of dates that exist, wherever they stand', () => {
  const { items } = withRealDates({ type: 'array', items: { format: 'date' } })
  const { pattern } = items as { pattern: string } // what was asked for
  const matches = (text: string) => new RegExp(pattern).test(text)
  expect(['2024-12-31', '2024-04-30', '2023-02-28'].map(matches)).toEqual([true, true, true])
  expect(['2024-11-31', '2024-13-01', '2024-02-30', '2024-00-10', '2024-1-1'].map(matches)).not.toContain(true)
})

test('nothing else changes', () => {
  const schema = {
    type: 'object',
    properties: { format: { type: 'string', format: 'uuid' }, own: { type: 'string', format: 'date', pattern: '^x$' } },
    default: { format: 'date' },
    enum: [{ format: 'date' }],
  }
  expect(withRealDates(schema)).toEqual(schema)
})
