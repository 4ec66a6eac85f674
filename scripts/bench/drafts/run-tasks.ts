/**
 * Runs answers with given tokens at the cost of a real model: each step is decoded, and then its sampled tokens are
 * replaced by the answer's next ones. So any model copies as well as a good one, at its own speed.
 */
import { Answer } from '../../../src/engines/llama/answer/answer.ts'
import { ReplyReader } from '../../../src/engines/llama/answer/reply-reader.ts'
import type {
  NativeAddon,
  NativeBatch,
  NativeContext,
  NativeModel,
  NativeSample,
  NativeSampler,
} from '../../../src/engines/llama/native.ts'
import { Sequences } from '../../../src/engines/llama/steps/sequences.ts'
import { StepLoop } from '../../../src/engines/llama/steps/step-loop.ts'
import { textFormat } from '../../../src/testing/chat-format.ts'
import { lastOf } from '../../../src/testing/grants.ts'
import { greedySampler } from '../../../src/testing/native-options.ts'
import type { Task } from './texts.ts'

export interface DraftRun {
  /** Speed from the first token after the last prompt to the end. */
  readonly tokensPerSecond: number
  /** Speed by this process's CPU time, which other programs disturb less. */
  readonly tokensPerCpuSecond: number
  readonly drafted: number
  readonly accepted: number
}

interface TasksOptions {
  readonly addon: NativeAddon
  readonly model: NativeModel
  readonly threads: number
  readonly streams: number
  /** Tokens of each answer. */
  readonly tokens: number
  readonly task: (stream: number, characters: number) => Task
  readonly isOn: boolean
  /** True for one KV cache of all streams, else one for each. */
  readonly isUnified: boolean
}

/** Approximate characters per token of code. Excess tokens are cut. */
const charactersPerToken = 6
const batchTokens = 512

export async function runTasks(options: TasksOptions): Promise<DraftRun> {
  const { addon, model, threads, streams, tokens, task, isOn, isUnified } = options
  const laid = []
  for (let stream = 0; stream < streams; stream++) {
    const { prompt, answer } = task(stream, tokens * charactersPerToken)
    const units = await model.tokenize(prompt, true, false)
    laid.push({ units, script: [...(await model.tokenize(answer, false, false))].slice(0, tokens) })
  }
  const held = Math.max(...laid.map(({ units, script }) => units.length + script.length))
  const contextTokens = streams * Math.ceil((held + 64) / 256) * 256
  const context = new addon.Context(model, {
    ...{ contextTokens, batchTokens, microBatchTokens: batchTokens, sequences: streams, threads },
    ...{ kvUnified: isUnified, kvType: 'f16', flashAttention: 'auto' },
  })
  const scripts = new Map<NativeSampler, { readonly script: readonly number[]; place: number }>()
  const ended = Promise.withResolvers<void>()
  let left = streams
  let generating = 0
  let startedMs = 0
  let startedTokens = 0
  let startedCpu = process.cpuUsage()
  const loop = new StepLoop({
    context: { step: (batch, count) => context.step(batch, count).then((result) => scripted(batch, result)) },
    sequences: new Sequences({
      ...{ context, count: streams, shareCache: false, isRecurrent: false, slidingWindowTokens: 0 },
      ...{ isUnified, parkedBytes: 0 },
    }),
    pictures: {
      projector: { isNonCausal: false, prepare: unseen, drop: () => undefined, encode: unseen },
      ...{ cacheBytes: 0, preparedBytes: 0, shareCache: false, suspects: new Set<string>() },
    },
    ...{
      batchTokens,
      tileRows: 64,
      threads,
      draftLimits: { rows: isOn ? Math.max(32, streams) : 0, mostEach: 31, headTokens: undefined },
    },
    emit: (events) => {
      for (const told of events) {
        if (!('event' in told)) continue
        if (told.event.type === 'finish' && --left === 0) ended.resolve()
      }
    },
    onFatal: ended.reject,
    nowMs: () => performance.now(),
  })

  /** Steps up to the end of the last prompt do not count, since only answers are timed. */
  function scripted(batch: NativeBatch, result: Awaited<ReturnType<NativeContext['step']>>): typeof result {
    if (result.kind !== 'ok') return result
    const samples = batch.outputs.map(({ entry, sampler, drafts = 0 }) => {
      const answer = scripts.get(sampler)
      if (answer === undefined) throw new Error('a sampler of no answer: this is a bug')
      const taken: NativeSample[] = []
      for (let row = 0; row <= drafts; row++) {
        const token = answer.script[answer.place++] ?? 0
        taken.push({ token, text: 'a' })
        if (token !== batch.tokens[entry + row + 1]) break
      }
      if (answer.place === 1) generating++
      return taken
    })
    if (startedMs === 0 && generating === streams) {
      startedMs = performance.now()
      startedCpu = process.cpuUsage()
      startedTokens = scripts.values().reduce((sum, { place }) => sum + place, 0)
    }
    return { kind: 'ok', samples }
  }

  for (const [id, { units, script }] of laid.entries()) {
    const sampler = new addon.Sampler(model, greedySampler)
    scripts.set(sampler, { script, place: 0 })
    const answer = new Answer({
      ...{ choice: 0, prompt: { units, runs: [] }, maxTokens: script.length, newSampler: () => sampler, model },
      ...{ reader: new ReplyReader(textFormat), wantsLogprobs: false, stops: [], isLimitedByContext: false },
      repetitionLimit: { minPieceTokens: 1, maxPieceTokens: 128, minCount: 2, minTokens: 1024 },
    })
    const [promptTokens, outputTokens] = [units.length, script.length]
    const request = { id, accountId: `acc_${id}`, promptTokens, outputTokens, isConstrained: false, answers: [answer] }
    loop.add(request, lastOf(outputTokens))
  }
  await ended.promise
  const seconds = (performance.now() - startedMs) / 1000
  const cpu = process.cpuUsage(startedCpu)
  const total = laid.reduce((sum, { script }) => sum + script.length, 0)
  const { draftedTokens = 0, acceptedTokens = 0 } = loop.stats()
  await context.close()
  const tokensTimed = total - startedTokens
  return {
    tokensPerSecond: tokensTimed / seconds,
    tokensPerCpuSecond: (tokensTimed * 1e6) / (cpu.user + cpu.system),
    drafted: draftedTokens,
    accepted: acceptedTokens,
  }
}

function unseen(): Promise<never> {
  return Promise.reject(new Error('no request has pictures: this is a bug'))
}
