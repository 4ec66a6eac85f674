/**
 * Detects a child that no longer works: it is stopped, deadlocked, in an endless call, or its device hangs. A busy
 * child still answers, since native work runs beside its JavaScript. Pure.
 */
import type { EngineStats } from '../protocol/engine.ts'
import type { FromEngine } from '../protocol/messages.ts'

export const checkEveryMs = 5_000

/**
 * Limits in checks of 5 s, not in time: a server that was itself stopped, for instance with its whole machine, has not
 * waited. A check asks the child for its counters; further checks count until a message comes.
 */
const limits = {
  /** 20 s. */
  silent: 4,
  /** Two minutes: the contexts of a model are made in one call, which clears a KV cache of many GB. */
  silentWhileLoading: 24,
  /** Ten minutes: the driver compiles the kernels of a library that has no machine code for the card, in one call. */
  silentWhileCompiling: 120,
  /** Ten minutes: a step is one batch, which takes no useful device that long. */
  withoutStep: 120,
}

/** Signs of a child's health. */
export interface Pulse {
  /** Checks since its last message. */
  readonly silentChecks: number
  /** Checks since it last made a step, or had no work. */
  readonly checksWithoutStep: number
  readonly steps: number
}

export const firstPulse: Pulse = { silentChecks: 0, checksWithoutStep: 0, steps: 0 }

export function afterCheck(pulse: Pulse): Pulse {
  return { ...pulse, silentChecks: pulse.silentChecks + 1, checksWithoutStep: pulse.checksWithoutStep + 1 }
}

export function afterMessage(pulse: Pulse, message: FromEngine): Pulse {
  if (message.type !== 'stats') return pulse.silentChecks === 0 ? pulse : { ...pulse, silentChecks: 0 }
  const steps = message.stats?.steps ?? pulse.steps
  const hasProgress = steps !== pulse.steps || isWithoutWork(message.stats)
  return { steps, silentChecks: 0, checksWithoutStep: hasProgress ? 0 : pulse.checksWithoutStep }
}

function isWithoutWork(stats: EngineStats | undefined): boolean {
  return stats === undefined || stats.running + stats.waiting === 0
}

/** Returns why a child must be killed, for the operator; undefined if nothing is wrong. */
export function fatalProblem(
  { silentChecks, checksWithoutStep }: Pulse,
  isLoaded: boolean,
  mayCompile = false,
): string | undefined {
  const loadingLimit = mayCompile ? limits.silentWhileCompiling : limits.silentWhileLoading
  const silentLimit = isLoaded ? limits.silent : loadingLimit
  if (silentChecks > silentLimit) return `killed: it did not answer for ${seconds(silentLimit)} s`
  if (checksWithoutStep > limits.withoutStep) {
    return `killed: it had requests and made no step for ${seconds(limits.withoutStep)} s`
  }
  return undefined
}

function seconds(checks: number): number {
  return (checks * checkEveryMs) / 1000
}
