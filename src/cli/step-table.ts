import { phaseQuantileMs, phaseShare, stepPhases, stepShares } from '../core/step-times.ts'
import type { ModelSteps } from '../server/control.ts'
import { count, formatTable } from './format.ts'

/** Returns a line and a table for each model: phases of its steps since it was loaded. */
export function stepsText(models: readonly ModelSteps[]): string {
  return models.length === 0 ? 'No model that computes here is loaded.\n' : models.map(modelText).join('\n')
}

function modelText({ modelId, steps, generatedTokens, promptTokens, phases }: ModelSteps): string {
  const shares = stepShares(phases)
  const summary = shares === undefined ? '' : `: ${sharesText(shares)}`
  const rows = stepPhases.flatMap((phase) => {
    const times = phases[phase]
    return times === undefined ? [] : [{ phase, times }]
  })
  const table = formatTable(rows, {
    PHASE: ({ phase }) => phase,
    SHARE: ({ phase }) => percent(phaseShare(phases, phase)),
    TIMES: ({ times }) => String(times.count),
    'MEAN MS': ({ times }) => (times.sumMs / times.count).toFixed(3),
    '50 % BELOW': ({ times }) => String(phaseQuantileMs(times, 0.5)),
    '99 % BELOW': ({ times }) => String(phaseQuantileMs(times, 0.99)),
    'TOTAL S': ({ times }) => (times.sumMs / 1000).toFixed(2),
  })
  const tokens = `${count(promptTokens, 'prompt token')} and ${generatedTokens} of answers`
  return `${modelId}, ${count(steps, 'step')}, ${tokens}${summary}\n${table}`
}

function sharesText({ device, sampling, waiting }: NonNullable<ReturnType<typeof stepShares>>): string {
  return `device ${percent(device)}, sampling ${percent(sampling)}, waiting for us ${percent(waiting)}`
}

function percent(share: number | undefined): string {
  return share === undefined ? '-' : `${Math.round(100 * share)} %`
}
