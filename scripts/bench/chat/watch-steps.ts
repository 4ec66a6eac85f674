import { phaseShare, type StepTimes, stepPhases } from '../../../src/core/step-times.ts'
import { controlSocketPath, type ModelSteps } from '../../../src/server/control.ts'

/** Steps of a model during which all streams decoded and nothing else ran. */
export interface DecodeSteps {
  readonly steps: number
  readonly tokensPerSecond: number
  readonly phases: StepTimes
}

interface Look extends ModelSteps {
  readonly atMs: number
}

/** Interval between two looks at a server's steps. */
const lookEveryMs = 40

/** Share of a run's tokens during which all streams certainly decode. */
const certain = 0.9

/**
 * Watches the steps of a server's only model while `run` sends streams of `tokens` tokens each. Returns the result of
 * `run`, and the steps between the last prompt and the first end; undefined if that time is too short.
 */
export async function watchSteps<Result>(
  { data }: { readonly data: string },
  { streams, tokens }: { readonly streams: number; readonly tokens: number },
  run: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly decoding: DecodeSteps | undefined }> {
  const looks: Look[] = []
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const look = await lookAt(data)
      if (look !== undefined) looks.push(look)
      await Bun.sleep(lookEveryMs)
    }
  })()
  const result = await run().finally(() => {
    isOver = true
  })
  await watching
  const generatedBefore = looks[0]?.generatedTokens ?? 0
  const last = looks.at(-1)
  const most = generatedBefore + certain * streams * tokens
  const whole = looks.filter(
    ({ promptTokens, generatedTokens }) => promptTokens === last?.promptTokens && generatedTokens < most,
  )
  // The first look may come in the middle of a step with prompts.
  const [, from] = whole
  const to = whole.at(-1)
  const decoding = from === undefined || to === undefined || to === from ? undefined : between(from, to)
  return { result, decoding }
}

/** Returns a step's phases, the longest first: `9.1 ms a step: device 8.2, sample 0.5, wake 0.4; beside: emit 1.0`. */
export function phasesText({ steps, phases }: DecodeSteps): string {
  const each = stepPhases
    .map((phase) => ({ phase, share: phaseShare(phases, phase), ms: (phases[phase]?.sumMs ?? 0) / steps }))
    .toSorted((one, other) => other.ms - one.ms)
    .filter(({ ms }) => ms >= 0.005)
  const text = (some: typeof each) => some.map(({ phase, ms }) => `${phase} ${ms.toFixed(2)}`).join(', ')
  const onPath = each.filter(({ share }) => share !== undefined)
  const totalMs = onPath.reduce((sum, { ms }) => sum + ms, 0)
  const beside = text(each.filter(({ phase }) => phase === 'emit'))
  return `${totalMs.toFixed(2)} ms a step: ${text(onPath)}${beside === '' ? '' : `; beside: ${beside}`}`
}

async function lookAt(data: string): Promise<Look | undefined> {
  const response = await fetch('http://inferd/steps', { unix: controlSocketPath(data) })
  const models = (await response.json()) as readonly ModelSteps[] // our own server's answer
  const [model] = models.filter(({ generatedTokens }) => generatedTokens > 0)
  return model === undefined ? undefined : { ...model, atMs: performance.now() }
}

function between(from: Look, to: Look): DecodeSteps {
  const phases = Object.fromEntries(
    stepPhases.map((phase) => {
      const { count = 0, sumMs = 0, buckets = [] } = to.phases[phase] ?? {}
      const before = from.phases[phase]
      return [
        phase,
        {
          count: count - (before?.count ?? 0),
          sumMs: sumMs - (before?.sumMs ?? 0),
          buckets: buckets.map((measurements, bucket) => measurements - (before?.buckets[bucket] ?? 0)),
        },
      ]
    }),
  )
  const tokensPerSecond = (1000 * (to.generatedTokens - from.generatedTokens)) / (to.atMs - from.atMs)
  return { steps: to.steps - from.steps, tokensPerSecond, phases }
}
