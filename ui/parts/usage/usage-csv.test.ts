import { expect, test } from 'bun:test'
import { csvLine } from '../../../src/wire/csv.ts'
import type { Report } from './measures.ts'
import { csvCell, usageCsv } from './usage-csv.ts'

const sums = {
  ...{ requests: 2, promptTokens: 10, cachedTokens: 4, completionTokens: 3, reasoningTokens: 1, characters: 0 },
  ...{ audioMs: 1_500, images: 0, costUsd: '0.000000001', chargedUsd: '0' },
  ...{ estimatedRequests: 1, estimatedCostUsd: '0.000000001' },
}

test('a report is written with all digits, and no text in it is a formula', () => {
  const key = (id: string, label: string | null) => ({ groups: [{ by: 'key' as const, id, label }], ...sums })
  const report: Report = { rows: [key('key_1', '=1+1'), key('key_2', 'a "b", c'), key('', null)], total: sums }
  expect(usageCsv('key', report).split('\r\n')).toEqual([
    'key,name,requests,prompt_tokens,cached_tokens,completion_tokens,reasoning_tokens,characters,audio_seconds,images,cost_usd,charged_usd,estimated_requests,estimated_cost_usd',
    "key_1,'=1+1,2,10,4,3,1,0,1.5,0,0.000000001,0,1,0.000000001",
    'key_2,"a ""b"", c",2,10,4,3,1,0,1.5,0,0.000000001,0,1,0.000000001',
    ',others,2,10,4,3,1,0,1.5,0,0.000000001,0,1,0.000000001',
    '',
  ])
  const ofModel = { groups: [{ by: 'model' as const, id: 'org/one', label: null }], ...sums }
  expect(usageCsv('model', { rows: [ofModel], total: sums })).toBe(
    'model,requests,prompt_tokens,cached_tokens,completion_tokens,reasoning_tokens,characters,audio_seconds,images,cost_usd,charged_usd,estimated_requests,estimated_cost_usd\r\n' +
      'org/one,2,10,4,3,1,0,1.5,0,0.000000001,0,1,0.000000001\r\n',
  )
})

test('the pages write a cell as the server does', () => {
  const texts = [
    '=1',
    'x;=1',
    '\uff1d1',
    '\u200b=1',
    ' @a',
    '\u22121',
    'a,b',
    'say "x"',
    '-3.5',
    '-x',
    'x|+1',
    '\u2a75',
    'x\uff0c\ufb29',
    '"=1',
    '\t',
    'plain',
    '',
  ]
  for (const text of texts) expect(`${csvCell(text)}\r\n`).toBe(csvLine([text]))
})
