/**
 * Promises of the policy, checked on the measured step costs of several machines. Steps take no time: the clock
 * advances by their costs.
 */
import { describe, expect, test } from 'bun:test'
import { RandomWords } from '../../../testing/gguf/random-words.ts'
import { h200, longContexts, type SimulatedMachine, simulatedMachines } from '../../../testing/simulated-machines.ts'
import { type SimulatedAnswer, type SimulatedRequest, simulateSteps } from '../../../testing/simulated-steps.ts'
import { onAllDevices } from '../placement.ts'
import { stepTokens } from './processor.ts'

const setups = Object.entries(simulatedMachines).flatMap(([name, machine]) => [
  { name: `${name}, one cache`, machine, isUnified: true },
  { name: `${name}, a cache for each`, machine, isUnified: false },
])
/** At most the number of requests: no answer is parked for another account. */
const slots = 60
const batchTokens = 512

/** Returns requests that come shortly after each other, like clients'. */
function burst(count: number, promptTokens: number, answerTokens = 64, accountId = 'a'): SimulatedRequest[] {
  return Array.from({ length: count }, (_, index) => ({ arrivesMs: index * 2, accountId, promptTokens, answerTokens }))
}

/**
 * Returns requests of three accounts at random moments, mostly with short prompts; sometimes more than there are slots.
 */
function traffic(seed: number, machine: SimulatedMachine): SimulatedRequest[] {
  const random = new RandomWords(seed)
  const meanPauseMs = machine.stepMs(0, batchTokens) / 3
  let arrivesMs = 0
  return Array.from({ length: 60 }, () => {
    arrivesMs += random.below(2 * meanPauseMs)
    const promptTokens = random.below(10) === 0 ? 1000 + random.below(2000) : 20 + random.below(150)
    return { arrivesMs, accountId: `account-${random.below(3)}`, promptTokens, answerTokens: 8 + random.below(60) }
  })
}

/**
 * Returns the shortest possible time if all requests come at once: all prompts in whole batches, then all answers
 * together.
 */
function bestMs(machine: SimulatedMachine, count: number, promptTokens: number, answerTokens = 64): number {
  const rows = count * promptTokens
  const answers = Array.from({ length: count }, (_, index) => (machine.stepMs(index + 1, 0) / (index + 1)) * count)
  const prompts =
    Math.floor(rows / batchTokens) * machine.stepMs(0, batchTokens) + machine.stepMs(0, rows % batchTokens)
  return prompts + (answerTokens - 1) * Math.min(...answers)
}

const gapsOf = ({ tokensMs }: SimulatedAnswer) => tokensMs.slice(1).map((ms, index) => ms - (tokensMs[index] ?? 0))
const firstMs = ({ tokensMs, arrivesMs }: SimulatedAnswer) => (tokensMs[0] ?? Number.POSITIVE_INFINITY) - arrivesMs

describe.each(setups)('$name', ({ machine, isUnified }) => {
  test('all work takes at most a twentieth more than the best that is known, a tenth with long prompts', async () => {
    // If answers are decoded between prompts rather than with them, they do not share the fixed cost of a step.
    const apart = isUnified ? 0 : 0.6
    for (const promptTokens of [34, 90, 540]) {
      const limit = 1 + (promptTokens < 100 ? 0.05 : 0.1) * (1 + apart)
      for (const count of [1, 2, 4, 8, 16, 32]) {
        const { endMs } = await simulateSteps({ machine, isUnified, requests: burst(count, promptTokens) })
        const learningMs = 3 * machine.stepMs(count, 0)
        expect(endMs - learningMs).toBeLessThan(limit * bestMs(machine, count, promptTokens))
      }
    }
  })

  test('no answer is held up by prompts for long: several seconds where few run, and about two where half of them do', async () => {
    const decodeMs = Math.max(...Array.from({ length: slots }, (_, index) => machine.stepMs(index + 1, 0)))
    for (const requests of [burst(32, 90), burst(32, 540), burst(8, 3000), traffic(1, machine), traffic(2, machine)]) {
      const { answers } = await simulateSteps({ machine, isUnified, requests, sequences: slots })
      expect(Math.max(...answers.flatMap(gapsOf))).toBeLessThan(1.1 * 1.5 * 5000 + 2 * decodeMs)
    }
    const late = { arrivesMs: 30 * decodeMs, accountId: 'a', promptTokens: 540, answerTokens: 8 }
    const requests = [...burst(16, 34, 200), ...new Array<SimulatedRequest>(16).fill(late)]
    const { answers } = await simulateSteps({ machine, isUnified, requests, sequences: slots })
    const running = answers.slice(0, 16).map(({ tokensMs }) => tokensMs.filter((ms) => ms > 15 * decodeMs))
    expect(Math.max(...running.flatMap((tokensMs) => gapsOf({ ...late, tokensMs })))).toBeLessThan(
      1.1 * 1.5 * 1500 + decodeMs,
    )
    expect(answers.every(({ tokensMs, answerTokens }) => tokensMs.length === answerTokens)).toBe(true)
  })

  test('answers take turns: those that began together end together', async () => {
    for (const count of [3, 7, 31]) {
      const { answers } = await simulateSteps({ machine, isUnified, requests: burst(count, 34, 200) })
      const ends = answers.map(({ tokensMs }) => tokensMs.at(-1) ?? 0)
      expect(Math.min(...ends)).toBeGreaterThan(0.8 * Math.max(...ends))
    }
  })

  test('long prompts of another account hold up answers by little, however many they are', async () => {
    const readers = burst(8, 34, 200)
    const long = { arrivesMs: 4000, accountId: 'b', promptTokens: 3000, answerTokens: 8 }
    const decodeMs = Math.max(...[7, 8, 9].map((count) => machine.stepMs(count, 0)))
    for (const count of [1, 4]) {
      const { answers } = await simulateSteps({
        machine,
        isUnified,
        requests: [...readers, ...new Array(count).fill(long)],
      })
      const gaps = answers
        .slice(0, 8)
        .flatMap(({ tokensMs }) => gapsOf({ ...long, tokensMs: tokensMs.filter((ms) => ms > 4000) }))
      // At least 32 tokens of prompts are computed at a time, in 200 ms on a fast enough machine, and half as many more
      // if they finish a prompt.
      expect(Math.max(...gaps)).toBeLessThan(decodeMs + 1.6 * Math.max(220, machine.stepMs(0, 32)))
    }
  })

  test('something is always computed while anybody waits', async () => {
    const { answers, steps } = await simulateSteps({ machine, isUnified, requests: traffic(3, machine) })
    const lastMs = ({ tokensMs }: SimulatedAnswer) => tokensMs.at(-1) ?? Number.POSITIVE_INFINITY
    steps.slice(1).forEach(({ startMs }, index) => {
      const before = steps[index]
      const endMs = before === undefined ? 0 : before.startMs + before.ms
      const idle = answers.filter((answer) => answer.arrivesMs < startMs && lastMs(answer) > endMs + 1)
      if (startMs > endMs + 0.001) expect(idle.every(({ arrivesMs }) => arrivesMs >= startMs - 0.001)).toBe(true)
    })
    expect(answers.every(({ tokensMs, answerTokens }) => tokensMs.length === answerTokens)).toBe(true)
  })

  test('answers are decoded with prompts in one cache of a GPU, and otherwise between them', async () => {
    const { steps } = await simulateSteps({ machine, isUnified, requests: burst(32, 540) })
    const [both, alone] = [true, false].map((isBoth) =>
      steps.filter(({ answers, promptRows }) => promptRows > 0 && answers > 0 === isBoth),
    )
    expect(alone?.length).toBeGreaterThan(0)
    if (isUnified && machine.tileRows === 1) expect(both?.length).toBeGreaterThan(10)
    else expect(both).toEqual([])
    const first = steps.findIndex(({ answers }) => answers > 0)
    const twice = steps
      .slice(first + 1)
      .filter((step, index) => step.answers + (steps[first + index]?.answers ?? 0) === 0)
    expect(twice).toEqual([])
  })

  test('whole batches while nobody reads, or what ends a prompt and is nearly one', async () => {
    const { steps } = await simulateSteps({ machine, isUnified, requests: burst(4, 3000, 1) })
    const small = steps.slice(0, -1).filter(({ answers, promptRows }) => answers + promptRows < 0.75 * batchTokens)
    expect(small).toEqual([])
  })

  test('an account’s flood delays another account’s short prompt by no more than a few steps', async () => {
    const flood = burst(30, 540, 64, 'flood')
    const others = [5, 10, 20].map((batches) => ({
      ...{ arrivesMs: batches * machine.stepMs(0, batchTokens), accountId: `b${batches}` },
      ...{ promptTokens: 34, answerTokens: 16 },
    }))
    const { answers, steps } = await simulateSteps({ machine, isUnified, requests: [...flood, ...others] })
    const longestStepMs = Math.max(...steps.map(({ ms }) => ms))
    for (const answer of answers.slice(flood.length)) expect(firstMs(answer)).toBeLessThan(3 * longestStepMs)
  })

  test('a long document of an account delays its own short prompt by no more than a few steps', async () => {
    const document = { arrivesMs: 0, accountId: 'a', promptTokens: 20_000, answerTokens: 1 }
    const [soon, later] = [3, 12].map((batches) => batches * machine.stepMs(0, batchTokens))
    const shorts = [soon, later].map((arrivesMs = 0) => ({
      arrivesMs,
      accountId: 'a',
      promptTokens: 34,
      answerTokens: 4,
    }))
    const { answers, steps } = await simulateSteps({ machine, isUnified, requests: [document, ...shorts] })
    const longestStepMs = Math.max(...steps.map(({ ms }) => ms))
    for (const answer of answers.slice(1)) expect(firstMs(answer)).toBeLessThan(3.5 * longestStepMs)
  })

  test('measurements that are off now and then change little', async () => {
    const random = new RandomWords(7)
    const noise = () => (random.below(50) === 0 ? 10 : 0.9 + random.below(200) / 1000)
    const requests = burst(16, 90)
    const { endMs } = await simulateSteps({ machine, isUnified, requests, noise })
    expect(endMs).toBeLessThan(1.1 * bestMs(machine, 16, 90) * (0.98 * 1 + 0.02 * 10 + 0.15))
  })
})

describe('an H200 with a cache for each sequence', () => {
  const tokens = stepTokens({ batchTokens, contextTokens: 64 * 4096 }, onAllDevices([0]))

  test.each([20, 300, 2000])('answers at 0.97 of what the card allows: prompts of %d tokens', async (promptTokens) => {
    for (const count of [1, 2, 4, 8, 16, 32, 48, 64]) {
      const requests = burst(count, promptTokens, 128).map((request) => ({ ...request, arrivesMs: 0 }))
      const { endMs } = await simulateSteps({
        ...{ machine: h200, isUnified: false, sequences: 64, requests },
        ...{ batchTokens: tokens, pieceTokens: batchTokens },
      })
      expect(bestMs(h200, count, promptTokens, 128) / endMs).toBeGreaterThan(0.97)
    }
  })

  test('holds up a prompt that comes while others are computed by no more than 200 ms a step', async () => {
    const { steps } = await simulateSteps({
      ...{ machine: h200, isUnified: false, sequences: 64, requests: burst(32, 2000, 1) },
      ...{ batchTokens: 8192, pieceTokens: batchTokens },
    })
    const [first, ...later] = steps.map(({ ms }) => ms)
    // The cost of prompts was unknown.
    expect(first).toBeGreaterThan(0)
    expect(Math.max(...later.slice(2))).toBeLessThan(220)
  })
})

describe('a CPU with long contexts', () => {
  const machine = longContexts
  const readers = burst(3, 104, 300)
  const begunMs = 10_000

  test('computes an agent’s turn at once beside answers of its own account', async () => {
    const turn = { arrivesMs: begunMs, accountId: 'a', promptTokens: 104, answerTokens: 8 }
    const { steps } = await simulateSteps({ machine, requests: [...readers, turn] })
    const later = steps.filter(({ startMs, promptRows }) => startMs >= begunMs && promptRows > 0)
    expect(later.map(({ promptRows }) => promptRows)).toEqual([104])
  })

  test('computes agents’ turns hardly slower than each at once', async () => {
    const random = new RandomWords(5)
    const turns = 40
    const agents = 4
    const sent: SimulatedRequest[] = []
    const turn = (arrivesMs: number): SimulatedRequest => {
      const request = { arrivesMs, accountId: 'a', promptTokens: 64 + random.below(100), answerTokens: 12 }
      sent.push(request)
      return request
    }
    const { endMs } = await simulateSteps({
      machine,
      requests: Array.from({ length: agents }, (_, index) => turn(2 * index)),
      next: (_, nowMs) => (sent.length < turns ? turn(nowMs + 20 + random.below(180)) : undefined),
    })
    const promptsMs = sent.reduce((sum, { promptTokens }) => sum + machine.stepMs(0, promptTokens), 0)
    const answersMs = (turns * 12 * machine.stepMs(agents, 0)) / agents
    expect(sent.length).toBe(turns)
    expect(endMs).toBeLessThan(1.1 * (promptsMs + answersMs))
  })

  test('computes another account’s document in tiles, once it knows what fewer rows cost', async () => {
    const document = { arrivesMs: begunMs, accountId: 'b', promptTokens: 1000, answerTokens: 8 }
    const { steps } = await simulateSteps({ machine, requests: [...readers, document] })
    const later = steps.filter(({ startMs, promptRows }) => startMs >= begunMs && promptRows > 0)
    expect(later.map(({ promptRows }) => promptRows)).toEqual([32, 32, ...new Array<number>(14).fill(64), 40])
  })
})
