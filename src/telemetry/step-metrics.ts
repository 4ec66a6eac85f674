import type { WatchedModel } from '../core/model-state.ts'
import { type PhaseTimes, phaseBoundsMs, type StepPhase } from '../core/step-times.ts'

export const stepMetric = {
  name: 'inferd_step_phase_seconds',
  help: 'Time of steps by phase, since the model was loaded; `queue` is that of requests.',
  type: 'histogram',
  labelNames: ['model', 'phase'],
} as const

const { name } = stepMetric

/**
 * Returns the histograms of steps as Prometheus text. Written without prom-client, whose histograms only take single
 * values, because the engines count in their own processes.
 */
export function stepMetricsText(models: readonly Pick<WatchedModel, 'modelId' | 'stepTimes'>[]): string {
  const samples = models.flatMap(({ modelId, stepTimes = {} }) =>
    Object.entries(stepTimes).flatMap(([phase, times]) => samplesOf(modelId, phase as StepPhase, times)),
  )
  if (samples.length === 0) return ''
  return [`# HELP ${name} ${stepMetric.help}`, `# TYPE ${name} ${stepMetric.type}`, ...samples, ''].join('\n')
}

function samplesOf(model: string, phase: StepPhase, { count, sumMs, buckets }: PhaseTimes): string[] {
  const labels = `model=${JSON.stringify(model)},phase="${phase}"`
  let upTo = 0
  const bounds = phaseBoundsMs.map((boundMs, bucket) => {
    upTo += buckets[bucket] ?? 0
    return `${name}_bucket{le="${boundMs / 1000}",${labels}} ${upTo}`
  })
  return [
    ...bounds,
    `${name}_bucket{le="+Inf",${labels}} ${count}`,
    `${name}_sum{${labels}} ${sumMs / 1000}`,
    `${name}_count{${labels}} ${count}`,
  ]
}
