/** The program of a thread that computes vectors or scores. */
import { serveSession } from '../session/serve-session.ts'
import { type PoolWish, poolInGraph } from './pool-in-graph.ts'
import { type PoolSettings, poolRows } from './pooling.ts'
import { type ScoreSettings, scoreRows } from './scores.ts'

/** Reading of a graph's output. `lengths` are those of the batch's rows. */
export type Reading = { readonly lengths: readonly number[] } & (
  | ({ readonly type: 'vectors' } & PoolSettings)
  | ({ readonly type: 'scores' } & ScoreSettings)
)

serveSession(
  (output, reading: Reading) =>
    reading.type === 'vectors'
      ? poolRows(output, reading.lengths, reading)
      : { dimensions: 1, values: scoreRows(output, reading.lengths, reading) },
  (content, wish: PoolWish) => poolInGraph(content, wish),
)
