/**
 * Shows that a backend of llama.cpp computes: the starter model on each device, one token and a batch, against the
 * CPU's numbers.
 */
import type { ProbeBackend } from '../protocol/backend.ts'
import type { NativeAddon, NativeContextOptions, NativeSamplerOptions } from './native.ts'
import { openCandidate } from './open-runtime.ts'
import { loadOptions, onAllDevices } from './placement.ts'

/** Tokens of the second step, enough for matrix kernels. A single token uses vector kernels. */
const batchTokens = 64

/** Largest difference of a log probability. Kernels round differently; a kernel that does not run is off by several. */
const toleratedDifference = 0.5

/** Likeliest tokens that are compared. The device may order them differently. */
const comparedTokens = 5
const readTokens = 20

const contextOptions: NativeContextOptions = {
  contextTokens: 256,
  batchTokens,
  microBatchTokens: batchTokens,
  sequences: 1,
  threads: 1,
  kvUnified: true,
  kvType: 'f16',
  flashAttention: 'auto',
}

const greedy: NativeSamplerOptions = {
  ...{ seed: 1, temperature: 0, topP: 1, topK: 0, minP: 0, presencePenalty: 0, frequencyPenalty: 0, repeatPenalty: 1 },
  ...{ logitBias: [], stops: [], topLogprobs: readTokens, preservedTokens: [], grammar: '', grammarLazy: false },
  ...{ grammarTriggers: [], grammarPrefix: '', generationPrompt: '', thinkingStartTag: '', thinkingEndTags: [] },
  thinkingBudgetTokens: -1,
}

type LogProbabilities = readonly { readonly token: number; readonly logprob: number }[]

export const probeLlama: ProbeBackend = async (runtime, candidate, deviceIndex) => {
  const addon = openCandidate(runtime, candidate)
  const expected = await compute(addon, runtime.starterChat, [])
  const all = [...addon.devices().entries()]
  const devices = deviceIndex === undefined ? all : all.filter(([index]) => index === deviceIndex)
  if (devices.length === 0) throw new Error('its library finds no device')
  for (const [index, { name }] of devices) {
    const difference = largestDifference(expected, await compute(addon, runtime.starterChat, [index]))
    if (!(difference <= toleratedDifference)) throw new Error(`${name} computed wrong numbers`)
  }
  return devices.map(([index, { name }]) => ({ name, index }))
}

/** Decodes one token, then a batch. Without devices the CPU computes. */
async function compute(
  addon: NativeAddon,
  path: string,
  devices: readonly number[],
): Promise<readonly LogProbabilities[]> {
  const placement = onAllDevices(devices)
  const model = await addon.loadModel(loadOptions(path, placement))
  const context = new addon.Context(model, contextOptions)
  const sampler = new addon.Sampler(model, greedy)
  const tokens = Int32Array.from({ length: 1 + batchTokens }, (_, index) => 1 + ((index * 37) % 200))
  const results: LogProbabilities[] = []
  for (const [from, to] of [
    [0, 1],
    [1, tokens.length],
  ] as const) {
    const entries = tokens.subarray(from, to)
    const step = await context.step({
      tokens: entries,
      positions: entries.map((_, index) => from + index),
      sequences: new Int32Array(entries.length),
      outputs: [{ entry: entries.length - 1, sampler }],
    })
    const [[sample] = []] = step.kind === 'ok' ? step.samples : []
    results.push(sample?.alternatives ?? [])
  }
  await context.close()
  model.close()
  return results
}

/**
 * Returns the largest difference over the likeliest tokens of each step; NaN if anything is missing or not a number.
 */
function largestDifference(expected: readonly LogProbabilities[], computed: readonly LogProbabilities[]): number {
  const differences = expected.flatMap((step, index) => {
    const found = new Map(computed[index]?.map(({ token, logprob }) => [token, logprob]))
    return step
      .slice(0, comparedTokens)
      .map(({ token, logprob }) => Math.abs(logprob - (found.get(token) ?? Number.NaN)))
  })
  return differences.length === 0 ? Number.NaN : Math.max(...differences)
}
