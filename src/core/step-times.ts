/**
 * Time of an engine's steps by phase. A step computes a batch of a decoder, a batch of texts, or a piece of a recording
 * or of speech.
 */

/**
 * Phases of a step, in order.
 * - `queue`: a request waits for its first step.
 * - `plan`: the step's rows are chosen.
 * - `build`: the batch is laid out, the graph is built and its inputs are written.
 * - `submit`: work is given to a device, or to another thread.
 * - `device`: the device computes. A GPU also copies its results to host memory.
 * - `copy`: results are copied from the device's buffers, or converted.
 * - `sample`: tokens are chosen.
 * - `wake`: one thread wakes another, which continues the step.
 * - `accept`: tokens and results are added to their answers.
 * - `emit`: events are sent, beside the next step if there is one.
 */
export const stepPhases = [
  'queue',
  'plan',
  'build',
  'submit',
  'device',
  'copy',
  'sample',
  'wake',
  'accept',
  'emit',
] as const

export type StepPhase = (typeof stepPhases)[number]

/** Phases that follow each other: together they are the step's time. */
const onPath: readonly StepPhase[] = stepPhases.filter((phase) => phase !== 'queue' && phase !== 'emit')

/** Upper bounds of a histogram's buckets in milliseconds. */
export const phaseBoundsMs = [0.01, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1000] as const

export interface PhaseTimes {
  readonly count: number
  readonly sumMs: number
  /** Number of measurements per bucket. The last one counts those above all bounds. */
  readonly buckets: readonly number[]
}

/** Times since the load. Phases that the engine lacks are absent. */
export type StepTimes = Readonly<Partial<Record<StepPhase, PhaseTimes>>>

/** Shares of the steps' time, 0 to 1. */
export interface StepShares {
  readonly device: number
  readonly sampling: number
  /** Share of the rest, during which the device could have computed. */
  readonly waiting: number
}

/** Returns the shares between two counts; undefined if no step ended in between. */
export function stepShares(now: StepTimes, before: StepTimes = {}): StepShares | undefined {
  const sumMs = (phases: readonly StepPhase[]) =>
    phases.reduce((sum, phase) => sum + (now[phase]?.sumMs ?? 0) - (before[phase]?.sumMs ?? 0), 0)
  const totalMs = sumMs(onPath)
  if (totalMs <= 0) return undefined
  const device = sumMs(['device']) / totalMs
  const sampling = sumMs(['sample']) / totalMs
  return { device, sampling, waiting: 1 - device - sampling }
}

/** Returns a phase's share of the steps' time; undefined for phases beside it. */
export function phaseShare(times: StepTimes, phase: StepPhase): number | undefined {
  const totalMs = onPath.reduce((sum, each) => sum + (times[each]?.sumMs ?? 0), 0)
  const { sumMs = 0 } = times[phase] ?? {}
  return totalMs > 0 && onPath.includes(phase) ? sumMs / totalMs : undefined
}

/**
 * Returns the bound in milliseconds below which a part (0 to 1) of the measurements lies. At most the greatest bound.
 */
export function phaseQuantileMs({ count, buckets }: PhaseTimes, part: number): number {
  let seen = 0
  const at = buckets.findIndex((measurements) => {
    seen += measurements
    return seen >= part * count
  })
  return phaseBoundsMs[at] ?? phaseBoundsMs[phaseBoundsMs.length - 1] ?? 0
}
