import type { LoadTimes } from '../../../src/core/load-phases.ts'
import type { InferdServer } from '../../shared/inferd-server.ts'

export interface MeasuredLoad {
  /** Time from the request to the end of its answer, with the load. */
  readonly answerMs: number
  /** Phases of the load. Empty if this inferd does not report them. */
  readonly phases: LoadTimes
}

/** Sends a request to a model that is not loaded. */
export async function measureLoad(
  command: readonly string[],
  server: InferdServer,
  model: string,
  ask: () => Promise<unknown>,
): Promise<MeasuredLoad> {
  const startMs = performance.now()
  await ask()
  const answerMs = performance.now() - startMs
  const { engines } = JSON.parse(await runOn(command, server, ['ps', '--json'])) as {
    engines: { modelId: string; loadTimes?: LoadTimes }[]
  }
  return { answerMs, phases: engines.find(({ modelId }) => modelId === model)?.loadTimes ?? {} }
}

export async function unload(command: readonly string[], server: InferdServer, model: string): Promise<void> {
  await runOn(command, server, ['models', 'unload', model])
}

/** Returns phases as `weights 12, context 30`, in milliseconds. */
export function phasesText(phases: LoadTimes): string {
  return Object.entries(phases)
    .map(([phase, ms]) => `${phase} ${Math.round(ms)}`)
    .join(', ')
}

async function runOn(command: readonly string[], { data }: InferdServer, args: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command, ...args, '--data', data], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (child.exitCode !== 0) throw new Error(`inferd ${args[0]} failed: ${errors}`)
  return output
}
