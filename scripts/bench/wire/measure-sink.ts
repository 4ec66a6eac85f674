import { median } from '../../shared/statistics.ts'

/** Receiver of an answer's pieces. Its results are dropped. */
export interface BenchSink<Item> {
  push(item: Item): unknown
  end(): unknown
}

export interface LongAnswer<Item> {
  readonly head: readonly Item[]
  /** Pieces of one kind, which make the answer long. */
  readonly body: readonly Item[]
  readonly tail: readonly Item[]
}

export interface RateFigures {
  /** Pieces per second. */
  readonly perSecond: number
  /** Pieces per second of CPU time in all threads of this process: the speed of one core. */
  readonly perCpuSecond: number
}

/** Returns how fast a sink takes an answer: medians of `rounds`, each with a new sink. A first round does not count. */
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
  /** Time of the end of the answer, once. */
  readonly tailMs: number
  /** Cost of the last block divided by that of the first. 1 if costs do not grow. */
  readonly ratio: number
}

/**
 * Compares the last `blockSize` pieces of an answer with the first: medians of `rounds`, each with a new sink. Some
 * rounds before do not count, so that compiling does not slow down the first block.
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

/** Returns `rounds` results, or fewer if the work is slow. */
function repeat<Result>(rounds: number, work: () => Result): Result[] {
  const startMs = performance.now()
  const results: Result[] = []
  while (results.length < rounds && performance.now() - startMs < enoughMs) results.push(work())
  return results
}
