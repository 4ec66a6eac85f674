import { median } from '../../shared/statistics.ts'

/** Takes an answer piece by piece. Results are dropped. */
export interface BenchSink<Item> {
  push(item: Item): unknown
  end(): unknown
}

export interface LongAnswer<Item> {
  readonly head: readonly Item[]
  /** What makes it long: pieces of one kind. */
  readonly body: readonly Item[]
  readonly tail: readonly Item[]
}

export interface RateFigures {
  /** Pieces taken in a second. */
  readonly perSecond: number
  /** Pieces taken in a second of CPU time, all threads of this process counted: what one core does. */
  readonly perCpuSecond: number
}

/** How fast a sink takes an answer: medians of `rounds`, each with a new sink, after one that does not count. */
export function measureRate<Item>(open: () => BenchSink<Item>, answer: LongAnswer<Item>, rounds: number): RateFigures {
  takeAll(open(), answer)
  const measured = repeat(rounds, () => {
    const sink = open()
    Bun.gc(true)
    const cpu = process.cpuUsage()
    const startMs = performance.now()
    takeAll(sink, answer)
    const seconds = (performance.now() - startMs) / 1000
    const used = process.cpuUsage(cpu)
    return { seconds, cpuSeconds: (used.user + used.system) / 1e6 }
  })
  return {
    perSecond: answer.body.length / median(measured.map(({ seconds }) => seconds)),
    perCpuSecond: answer.body.length / median(measured.map(({ cpuSeconds }) => cpuSeconds)),
  }
}

export interface GrowthFigures {
  readonly firstMs: number
  readonly lastMs: number
  /** What closes the answer, once. */
  readonly tailMs: number
  /** What the last block costs beside the first one. 1: costs do not grow. */
  readonly ratio: number
}

/**
 * What the last `blockSize` pieces of an answer cost beside the first: medians of `rounds`, each with a new sink, after
 * some that do not count, so that the first block is not slow for being compiled.
 */
export function measureGrowth<Item>(
  open: () => BenchSink<Item>,
  answer: LongAnswer<Item>,
  options: { readonly blockSize: number; readonly rounds: number },
): GrowthFigures {
  repeat(3, () => takeAll(open(), answer))
  const measured = repeat(options.rounds, () => measureBlocks(open(), answer, options.blockSize))
  const firstMs = median(measured.map(({ first }) => first))
  const lastMs = median(measured.map(({ last }) => last))
  return { firstMs, lastMs, tailMs: median(measured.map(({ tail }) => tail)), ratio: lastMs / firstMs }
}

function measureBlocks<Item>(sink: BenchSink<Item>, { head, body, tail }: LongAnswer<Item>, blockSize: number) {
  const [firstItems, middle] = [body.slice(0, blockSize), body.slice(blockSize, -blockSize)]
  const lastItems = body.slice(-blockSize)
  take(sink, head)
  Bun.gc(true)
  const first = timeMs(() => take(sink, firstItems))
  take(sink, middle)
  Bun.gc(true)
  const last = timeMs(() => take(sink, lastItems))
  const closing = timeMs(() => {
    take(sink, tail)
    sink.end()
  })
  return { first, last, tail: closing }
}

function takeAll<Item>(sink: BenchSink<Item>, { head, body, tail }: LongAnswer<Item>): void {
  for (const items of [head, body, tail]) take(sink, items)
  sink.end()
}

function take<Item>(sink: BenchSink<Item>, items: readonly Item[]): void {
  for (const item of items) sink.push(item)
}

function timeMs(work: () => void): number {
  const startMs = performance.now()
  work()
  return performance.now() - startMs
}

const enoughMs = 10_000

/** `rounds` results; fewer of slow work. */
function repeat<Result>(rounds: number, work: () => Result): Result[] {
  const startMs = performance.now()
  const results: Result[] = []
  while (results.length < rounds && performance.now() - startMs < enoughMs) results.push(work())
  return results
}
