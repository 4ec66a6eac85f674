import { expect, test } from 'bun:test'
import type { ReasonedLayout } from '../../../core/cache-layout.ts'
import type { NativeContext, NativeContextOptions } from '../native.ts'
import { CacheLayouts, optionsIn, type StreamLength } from './cache-layouts.ts'
import { possibleLayouts } from './choose-layout.ts'

const setup = {
  ...{ isOnGpu: true, contextTokens: 32_768, parallel: 8, isSet: false, allFit: false },
  ...{ hasDraftHead: false, hasSlidingWindow: false, hasLongFactors: false },
}
const [each, , , one] = possibleLayouts(setup)

/** Creates contexts, known by their tokens per sequence. `full`: those that fail for lack of memory. */
function start({ pastTokens = [], full = [] }: { pastTokens?: readonly number[]; full?: readonly number[] } = {}) {
  const log: string[] = []
  const layouts = new CacheLayouts({
    layouts: possibleLayouts(setup),
    pastTokens,
    newContext: ({ tokensEach }): NativeContext => {
      if (full.includes(tokensEach)) throw new Error('no memory')
      log.push(`made ${tokensEach}`)
      const unused = () => {
        throw new Error('nothing is computed here')
      }
      return {
        contextTokens: tokensEach,
        maxOutputs: 32,
        ...{ step: unused, removeSequence: unused, copySequence: unused, minPosition: unused, maxPosition: unused },
        ...{ saveSequence: unused, restoreSequence: unused, memoryBreakdown: unused },
        close: async () => {
          log.push(`closed ${tokensEach}`)
        },
      }
    },
    onFailure: ({ tokensEach }) => log.push(`failed ${tokensEach}`),
  })
  return { layouts, log }
}

function stream(promptTokens: number, answerTokens: number, tokens = promptTokens): StreamLength {
  return { promptTokens, answerTokens, tokens }
}

test.each<[string, readonly number[], number]>([
  ['nothing is known', [], 4096],
  ['the latest requests fit', [100, 4096, 300], 4096],
  ['the latest requests need more', [100, 4097, 300], 32_768],
  ['only an old request needed more', [5000, ...new Array<number>(128).fill(400)], 4096],
  ['a request needed all', [100, 32_768], 32_768],
  ['the context was longer when they came', [100, 100_000], 32_768],
])('it begins by what is known of requests: %s', (_, pastTokens, tokensEach) => {
  const { layouts, log } = start({ pastTokens })
  expect(layouts.current.tokensEach).toBe(tokensEach)
  expect(log).toEqual([`made ${tokensEach}`])
})

test.each<[string, readonly StreamLength[], number | undefined]>([
  ['nobody is there', [], undefined],
  ['all fit', [stream(4000, 96), stream(300, 32_000)], undefined],
  ['a prompt with the answer that is expected does not fit', [stream(4000, 32_000), stream(300, 60)], 8192],
  ['an answer has grown', [stream(300, 32_000, 4097)], 8192],
  ['a prompt takes the whole context', [stream(32_767, 1)], 32_768],
])('it changes before a step where that must be: %s', (_, streams, tokensEach) => {
  expect(start().layouts.next(() => streams, 1)?.tokensEach).toBe(tokensEach)
})

test('what has ended keeps its layout until others have taken its place', async () => {
  const { layouts, log } = start()
  const crowd = Array.from({ length: 8 }, () => stream(300, 60))
  const larger = layouts.next(() => [stream(20_000, 10), ...crowd], 10)
  expect(larger).toEqual(one)
  if (larger === undefined) return
  await layouts.change(larger, 10)
  expect(log).toEqual(['made 4096', 'closed 4096', 'made 32768'])
  layouts.noteEnded(20_010)
  for (let ended = 0; ended < 127; ended++) layouts.noteEnded(360)
  expect(layouts.next(() => crowd, 5000)).toBeUndefined()
  layouts.noteEnded(360)
  expect(layouts.next(() => crowd, 521)).toBeUndefined()
  expect(layouts.next(() => crowd, 522)).toEqual(each)
})

test('an answer that filled the context counts as the longest that fits', () => {
  const { layouts } = start({ pastTokens: [100] })
  expect(layouts.current.tokensEach).toBe(4096)
  layouts.noteEnded(32_769)
  expect(layouts.next(() => [stream(300, 60)], 5000)?.tokensEach).toBe(32_768)
})

test('where there is no memory it is one cache, and that layout is not tried again', async () => {
  const { layouts, log } = start({ full: [8192] })
  const streams = [stream(5000, 10)]
  const wanted = layouts.next(() => streams, 1)
  if (wanted === undefined) throw new Error('no change')
  await layouts.change(wanted, 1)
  expect(log).toEqual(['made 4096', 'closed 4096', 'failed 8192', 'made 32768'])
  expect(layouts.next(() => [stream(5000, 10), ...streams], 10_000)?.tokensEach).toBe(16_384)
})

test('a context has no more cells than the settings say', () => {
  const options: NativeContextOptions = {
    ...{ contextTokens: 10_000, batchTokens: 512, microBatchTokens: 512, sequences: 8, threads: 1, kvUnified: true },
    ...{ kvType: 'f16', flashAttention: 'auto' },
  }
  const layouts: readonly ReasonedLayout[] = possibleLayouts({ ...setup, contextTokens: 10_000 })
  const made = layouts.map((layout) => optionsIn(layout, options))
  expect(made.map(({ sequences, contextTokens }) => [sequences, contextTokens])).toEqual([
    [8, 8 * 1024],
    [4, 4 * 2304],
    [2, 2 * 4864],
    [8, 10_000],
  ])
})
