/** Figures of the agents' answers. Pure. */
import { median, percentile } from '../../shared/statistics.ts'
import { firstTokenMs, gapsMs, type JobResult } from '../chat/job.ts'
import type { AgentRun } from './run-agents.ts'

/** Resources used during any run. */
export interface Spent {
  readonly wallSeconds: number
  readonly engineCpuSeconds: number
  readonly serverCpuSeconds: number
}

export interface AgentFigures {
  /** Time to the first token over all agents' turns, by thirds of the turns. */
  readonly thirds: readonly { readonly p50Ms: number; readonly p99Ms: number }[]
  /** Prompt tokens that no cache had. */
  readonly computedTokens: number
  /** Prompt tokens that every server must compute: the shared beginning once, and the new ones of each turn. */
  readonly neededTokens: number
  /** Longest prompt of all agents, in tokens. */
  readonly longestPromptTokens: number
  readonly endedEarly: number
}

export interface MixedFigures {
  readonly shortFirstTokenP50Ms: number
  readonly shortFirstTokenP99Ms: number
  readonly gapP99Ms: number
  readonly longFirstTokenP50Ms: number
}

/** Returns the figures. `sharedTokens`: prompt tokens that all agents have in common. */
export function agentFigures(runs: readonly AgentRun[], sharedTokens: number, answerTokens: number): AgentFigures {
  const answers = runs.flat()
  const thirds = [0, 1, 2].map((third) => {
    const firstMs = runs
      .flatMap((run) => run.slice(Math.round((third * run.length) / 3), Math.round(((third + 1) * run.length) / 3)))
      .map(firstTokenMs)
    return { p50Ms: median(firstMs), p99Ms: percentile(firstMs, 0.99) }
  })
  const needed = runs.map((run) => {
    const said = run.slice(0, -1).reduce((sum, { completionTokens }) => sum + completionTokens, 0)
    return (run.at(-1)?.promptTokens ?? 0) - said - sharedTokens
  })
  return {
    thirds,
    computedTokens: sum(answers.map(({ promptTokens, cachedTokens }) => promptTokens - cachedTokens)),
    neededTokens: sharedTokens + sum(needed),
    longestPromptTokens: Math.max(...answers.map(({ promptTokens }) => promptTokens)),
    endedEarly: answers.filter(({ completionTokens }) => completionTokens < answerTokens).length,
  }
}

export function mixedFigures(
  answers: readonly { readonly isLong: boolean; readonly answer: JobResult }[],
): MixedFigures {
  const of = (isLong: boolean) => answers.filter((each) => each.isLong === isLong).map(({ answer }) => answer)
  const shortMs = of(false).map(firstTokenMs)
  return {
    shortFirstTokenP50Ms: median(shortMs),
    shortFirstTokenP99Ms: percentile(shortMs, 0.99),
    gapP99Ms: percentile(
      answers.flatMap(({ answer }) => gapsMs(answer)),
      0.99,
    ),
    longFirstTokenP50Ms: median(of(true).map(firstTokenMs)),
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
