import { median, percentile } from '../../shared/statistics.ts'
import { type EmbedTarget, embed, runEmbedLoad } from './load.ts'

/** Measures a thousand texts at once, in one request or in many. */
export async function measureCrowds(target: EmbedTarget, makeText: (tokens: number) => string, seconds: number) {
  const sameRate = await sameThroughput(target, makeText)
  const { p50Ms, p99Ms } = await besideGreedy(target, makeText, seconds * 2)
  const text = `A thousand requests of one text at once against one of 1,024: ${sameRate.toFixed(2)} of its tokens/s.
Eight clients of one text beside one of 1,024: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms.`
  return { text, tail: p99Ms / p50Ms }
}

/** Compares the tokens per second of 1,000 requests of one text with those of one request of 1,024. */
async function sameThroughput(target: EmbedTarget, makeText: (tokens: number) => string): Promise<number> {
  const texts = (count: number) => Array.from({ length: count }, () => makeText(64))
  const rate = async (work: () => Promise<number>) => {
    const beginMs = performance.now()
    return (await work()) / (performance.now() - beginMs)
  }
  const ratios: number[] = []
  for (let round = 0; round < 5; round++) {
    const many = texts(1000)
    const together = texts(1024)
    const one = await rate(() => embed(target, together))
    const all = await rate(async () => {
      const tokens = await Promise.all(many.map((text) => embed(target, [text])))
      return tokens.reduce((sum, count) => sum + count, 0)
    })
    ratios.push(all / one)
  }
  return median(ratios)
}

/** Measures clients of one text while another client sends 1,024 texts at a time with the same key. */
async function besideGreedy(
  target: EmbedTarget,
  makeText: (tokens: number) => string,
  seconds: number,
): Promise<{ p50Ms: number; p99Ms: number }> {
  const many = Array.from({ length: 1024 }, () => makeText(256))
  const times = { seconds, warmSeconds: 1 }
  const greedy = runEmbedLoad(target, { clients: 1, inputs: () => many }, times)
  const polite = await runEmbedLoad(target, { clients: 8, inputs: () => [makeText(256)] }, times)
  await greedy
  return { p50Ms: median(polite.latenciesMs), p99Ms: percentile(polite.latenciesMs, 0.99) }
}
