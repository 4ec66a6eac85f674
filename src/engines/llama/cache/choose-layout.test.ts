import { expect, test } from 'bun:test'
import { type CacheSetup, type Demand, nextLayout, possibleLayouts } from './choose-layout.ts'

const gpu: CacheSetup = {
  isOnGpu: true,
  contextTokens: 32_768,
  parallel: 64,
  isSet: false,
  allFit: false,
  hasDraftHead: false,
  hasSlidingWindow: false,
  hasLongFactors: false,
}

/** Returns a layout's name. `64 x 512`: a cache of 512 tokens for each of 64 sequences; `1 x 32768`: one cache. */
function name({ isUnified, sequences, tokensEach }: ReturnType<typeof possibleLayouts>[number]): string {
  return `${isUnified ? 1 : sequences} x ${tokensEach}`
}

test.each<[string, Partial<CacheSetup>, string, string]>([
  ['a GPU has a cache for each', {}, '64 x 512', 'fastest'],
  ['so has a model whose requests all fit', { isOnGpu: false, allFit: true }, '64 x 512', 'all-fit'],
  ['a CPU has one cache', { isOnGpu: false }, '1 x 32768', 'cpu'],
  ['a draft head wants one cache', { hasDraftHead: true }, '1 x 32768', 'draft-head'],
  ['a sliding window wants one cache', { hasSlidingWindow: true }, '1 x 32768', 'sliding-window'],
  ['positions that depend on the cache want one cache', { hasLongFactors: true }, '1 x 32768', 'long-factors'],
  ['a single sequence has one cache', { parallel: 1 }, '1 x 32768', 'fastest'],
  ['a part of less than 256 tokens is none', { parallel: 200 }, '100 x 256', 'fastest'],
  ['caches are multiples of 256 tokens', { contextTokens: 10_000, parallel: 8 }, '8 x 1024', 'fastest'],
  ['the word of the operator wins on a GPU', { isSet: true }, '1 x 32768', 'request-tokens'],
  ['and on a CPU', { isOnGpu: false, isSet: true, allFit: true }, '64 x 512', 'request-tokens'],
  [
    'and for a model that would have one cache',
    { hasDraftHead: true, hasSlidingWindow: true, hasLongFactors: true, isSet: true, allFit: true },
    '64 x 512',
    'request-tokens',
  ],
])('%s', (_, difference, layout, reason) => {
  const [first] = possibleLayouts({ ...gpu, ...difference })
  expect([name(first), first.reason]).toEqual([layout, reason])
})

test('only on a GPU, and without a word of the operator, a layout may change', () => {
  expect(possibleLayouts(gpu).map(name)).toEqual([
    ...['64 x 512', '32 x 1024', '16 x 2048', '8 x 4096', '4 x 8192', '2 x 16384'],
    '1 x 32768',
  ])
  const fixed: Partial<CacheSetup>[] = [
    ...[{ isOnGpu: false }, { isSet: true, allFit: true }, { isSet: true }],
    ...[{ hasDraftHead: true }, { hasSlidingWindow: true }, { hasLongFactors: true }],
  ]
  for (const difference of fixed) expect(possibleLayouts({ ...gpu, ...difference })).toHaveLength(1)
})

const settled = 9999

test.each<[string, string, Omit<Demand, 'meanTokens'> & { meanTokens?: number }, string]>([
  ['what fits stays', '64 x 512', { longestTokens: 512, streams: 64, steps: settled }, '64 x 512'],
  [
    'a request that outgrows its cache gets a larger one at once',
    '64 x 512',
    { longestTokens: 513, streams: 64, steps: 0 },
    '32 x 1024',
  ],
  [
    'where a few caches give less than one for all, it is one',
    '64 x 512',
    { longestTokens: 5000, streams: 64, steps: 0 },
    '1 x 32768',
  ],
  ['unless all are long', '64 x 512', { longestTokens: 4000, streams: 64, steps: 0, meanTokens: 2000 }, '8 x 4096'],
  [
    'three conversations wait for no cache of two',
    '8 x 4096',
    { longestTokens: 10_000, streams: 3, steps: 0, meanTokens: 9000 },
    '1 x 32768',
  ],
  ['two have one each', '8 x 4096', { longestTokens: 10_000, streams: 2, steps: 0, meanTokens: 9000 }, '2 x 16384'],
  ['few streams need few caches', '64 x 512', { longestTokens: 5000, streams: 2, steps: 0 }, '4 x 8192'],
  [
    'the longest of all requests lies in one cache',
    '2 x 16384',
    { longestTokens: 32_768, streams: 1, steps: 0 },
    '1 x 32768',
  ],
  [
    'more streams than caches want one cache, once steps have settled',
    '4 x 8192',
    { longestTokens: 5000, streams: 64, steps: 512 },
    '1 x 32768',
  ],
  ['but not before', '4 x 8192', { longestTokens: 5000, streams: 64, steps: 511 }, '4 x 8192'],
  [
    'a cache for each comes back when requests are short',
    '1 x 32768',
    { longestTokens: 500, streams: 64, steps: 512 },
    '64 x 512',
  ],
  [
    'but not for the sake of a single stream',
    '1 x 32768',
    { longestTokens: 500, streams: 1, steps: settled },
    '1 x 32768',
  ],
  ['nor for nothing', '32 x 1024', { longestTokens: 500, streams: 32, steps: settled }, '32 x 1024'],
  ['but so that nobody waits', '32 x 1024', { longestTokens: 500, streams: 64, steps: settled }, '64 x 512'],
])('%s', (_, current, demand, next) => {
  const layouts = possibleLayouts(gpu)
  const from = layouts.find((layout) => name(layout) === current)
  if (from === undefined) throw new Error(`no layout ${current}`)
  expect(name(nextLayout(layouts, from, { meanTokens: 400, ...demand }))).toBe(next)
})
