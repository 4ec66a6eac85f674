/** Requests of a simulated service, in sessions that mainly use one model each. */
import { Random } from '../../src/testing/scheduler/random.ts'

export interface SimulatedModel {
  readonly id: string
  readonly needGB: number
  readonly fileGB: number
}

/** Models in the sizes of usual catalogs. */
export const models: readonly SimulatedModel[] = [
  [10, 5],
  [11, 6.5],
  [13, 9],
  [15, 12],
  [17, 13],
  [20, 17],
  [22, 18],
  [32, 28],
  [44, 39],
  [67, 63],
].map(([needGB = 0, fileGB = 0], index) => ({ id: `m${index}`, needGB, fileGB }))

export interface Arrival {
  readonly atMs: number
  readonly model: string
  readonly account: string
  /** Time that the request takes on a GPU alone. */
  readonly demandMs: number
}

const requestsPerSession = 6
const thinkMs = 4_000
const mainShare = 0.75
const meanDemandMs = 9_000

/** Returns the requests. Popularity of models falls as 1, 1/2, 1/3, … in an order that the seed decides. */
export function arrivals(
  usable: readonly SimulatedModel[],
  perSecond: number,
  hours: number,
  seed: number,
): readonly Arrival[] {
  const random = new Random(seed)
  const ranked = usable
    .map(({ id }) => ({ id, key: random.next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ id }) => id)
  const all: Arrival[] = []
  const betweenMs = (1000 * requestsPerSession) / perSecond
  for (let atMs = random.exponential(betweenMs); atMs < hours * 3_600_000; atMs += random.exponential(betweenMs)) {
    const [main, second] = [popular(ranked, random), popular(ranked, random)]
    for (let index = 0; index < requestsPerSession; index++) {
      const model = random.next() < mainShare ? main : second
      const demandMs = random.exponential(meanDemandMs)
      all.push({ atMs: atMs + index * thinkMs, model, account: `session ${atMs}`, demandMs })
    }
  }
  return all.sort((a, b) => a.atMs - b.atMs)
}

function popular(ranked: readonly string[], random: Random): string {
  const weights = ranked.map((_, index) => 1 / (index + 1))
  let left = random.next() * weights.reduce((total, weight) => total + weight, 0)
  for (const [index, weight] of weights.entries()) {
    left -= weight
    if (left < 0) return ranked[index] ?? ''
  }
  return ranked[0] ?? ''
}
