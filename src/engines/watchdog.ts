/**
 * Ends engine children that no longer work: stopped, deadlocked, in a call that never returns, or at a device that hangs.
 * A busy child answers, since native work runs beside its JavaScript.
 */
import type { EngineStats, FromEngine } from './protocol.ts'
import type { EngineSpawn } from './spawn-engine.ts'

export const checkEveryMs = 5_000

/**
 * In checks, not in time: a server that was stopped itself, with its whole machine for instance, has not been waiting. One
 * check asks, and the next ones count as long as nothing is heard.
 */
const limits = {
  /** 20 s. */
  silent: 4,
  /** Two minutes: the contexts of a model are made in one call, which clears a KV cache of many GB. */
  silentWhileLoading: 24,
  /** Ten minutes: a step is one batch, which no device that serves anybody needs that long for. */
  withoutStep: 120,
}

/** What is known of a child's health. */
export interface Pulse {
  readonly isLoaded: boolean
  /** Checks since it was last heard of. */
  readonly silentChecks: number
  /** Checks since it last made a step, or had nothing to do. */
  readonly checksWithoutStep: number
  readonly steps: number
}

export const firstPulse: Pulse = { isLoaded: false, silentChecks: 0, checksWithoutStep: 0, steps: 0 }

export function afterCheck(pulse: Pulse): Pulse {
  return {
    ...pulse,
    silentChecks: pulse.silentChecks + 1,
    checksWithoutStep: pulse.checksWithoutStep + 1,
  }
}

export function afterMessage(pulse: Pulse, message: FromEngine): Pulse {
  const heard = { ...pulse, isLoaded: pulse.isLoaded || message.type === 'ready', silentChecks: 0 }
  if (message.type !== 'stats') return heard
  const isIdle = message.stats === undefined || isWithoutWork(message.stats)
  const steps = message.stats?.steps ?? pulse.steps
  return isIdle || steps !== pulse.steps ? { ...heard, steps, checksWithoutStep: 0 } : heard
}

/** Why a child is to be killed, for the operator; undefined while nothing is wrong. */
export function fatalProblem({ isLoaded, silentChecks, checksWithoutStep }: Pulse): string | undefined {
  const silentLimit = isLoaded ? limits.silent : limits.silentWhileLoading
  if (silentChecks > silentLimit) return `killed: it did not answer for ${seconds(silentLimit)} s`
  if (checksWithoutStep > limits.withoutStep) {
    return `killed: it had requests and made no step for ${seconds(limits.withoutStep)} s`
  }
  return undefined
}

/** Calls back again and again until the function that it returns is called. */
export type Every = (ms: number, callback: () => void) => () => void

/** Asks by this id are the watchdog's own. */
const ownId = 0

/**
 * Like `spawn`, with a watchdog for each child: one that no longer works is killed, and its exit says why. A child that
 * even the kernel cannot end, since it waits in a driver, counts as ended at the next check.
 */
export function watched(spawn: EngineSpawn, every: Every): EngineSpawn {
  return (kind, handlers) => {
    let pulse = firstPulse
    let problem: string | undefined
    let isOver = false
    const child = spawn(kind, {
      ...handlers,
      onMessage: (message) => {
        pulse = afterMessage(pulse, message)
        const isOwn = message.type === 'stats' && message.id === ownId
        if (!isOwn && !isOver) handlers.onMessage(message)
      },
      onExit: (reason) => end(problem ?? reason),
    })
    const stopChecks = every(checkEveryMs, () => {
      if (problem !== undefined) return end(problem)
      pulse = afterCheck(pulse)
      problem = fatalProblem(pulse)
      if (problem === undefined) child.send({ type: 'stats', id: ownId })
      else child.kill('SIGKILL')
    })
    return child

    function end(reason: string): void {
      if (isOver) return
      isOver = true
      stopChecks()
      handlers.onExit(reason)
    }
  }
}

function isWithoutWork({ running, waiting }: EngineStats): boolean {
  return running + waiting === 0
}

function seconds(checks: number): number {
  return (checks * checkEveryMs) / 1000
}
