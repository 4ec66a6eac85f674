/** How a model could be held in memory, asked before it is loaded. */
import type { MemoryBytes, Placement } from '../core/memory.ts'
import type { InstalledModel } from '../core/model.ts'
import { type EngineSettings, engineTable } from './engine-table.ts'
import { LoadError } from './load-error.ts'
import { settingsOf } from './model-settings.ts'
import { protocolVersion, type RuntimePaths, type ToEngine } from './protocol.ts'
import type { EngineSpawn } from './spawn-engine.ts'

/** A dry run takes well under a second and reads only the beginning of a file; a slow disk may hold it up. */
const limitMs = 60_000

export interface EstimateOptions {
  readonly spawn: EngineSpawn
  /** Of the server, for what the model's manifest leaves open. */
  readonly settings: EngineSettings
  readonly runtime: () => Promise<RuntimePaths>
  /** What models may have of each pool while nothing is loaded. */
  readonly budgetBytes: MemoryBytes
}

/**
 * The ways to hold a model in memory, the best first; at least one. A model of the llama engine may be a file of its full size whose
 * header alone is there. Throws a `LoadError` for a model that cannot be loaded, and the signal's reason when it aborts.
 */
export async function estimatePlacements(
  model: InstalledModel,
  { spawn, settings: server, runtime, budgetBytes }: EstimateOptions,
  signal: AbortSignal,
): Promise<readonly Placement[]> {
  const kind = model.manifest.engine
  const { placements } = engineTable[kind]
  const settings = settingsOf(model.manifest, server)
  const request = { model, settings, runtime: await runtime(), budgetBytes }
  signal.throwIfAborted()
  // The settings were filled by the row whose function this is.
  if ('inServer' in placements) return placements.inServer(request as never)
  return askChild(spawn, { type: 'estimate', version: protocolVersion, kind, ...request }, signal)
}

/** Settles when the child is gone, and with it the memory that it took. */
function askChild(
  spawn: EngineSpawn,
  question: Extract<ToEngine, { type: 'estimate' }>,
  signal: AbortSignal,
): Promise<readonly Placement[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Placement[]>()
  let placements: readonly Placement[] | undefined
  let failure: LoadError | undefined
  let lastLine = ''
  const child = spawn(question.kind, {
    onMessage: (message) => {
      if (message.type === 'placements') placements = message.placements
      if (message.type === 'load-failed') failure = new LoadError(message.code, message.message)
    },
    onLogLine: (line) => {
      lastLine = line
    },
    onExit: (reason) => {
      clearTimeout(deadline)
      signal.removeEventListener('abort', kill)
      if (signal.aborted) reject(signal.reason)
      else if (placements !== undefined) resolve(placements)
      else reject(failure ?? crash(question.model, reason, lastLine))
    },
  })
  const kill = () => child.kill('SIGKILL')
  const deadline = setTimeout(() => {
    failure ??= new LoadError('other', `the memory of the model was not known after ${limitMs / 1000} s`)
    kill()
  }, limitMs)
  signal.addEventListener('abort', kill, { once: true })
  child.send(question)
  return promise
}

/** The libraries end the process at some malformed files. From outside a process is killed for want of memory. */
function crash({ manifest }: InstalledModel, reason: string, lastLine: string): LoadError {
  const words = lastLine === '' ? reason : `${reason}: ${lastLine}`
  return reason === 'signal SIGKILL'
    ? new LoadError('out-of-memory', `reading ${manifest.id} took more memory than there is (${words})`)
    : new LoadError('bad-model', `the files of ${manifest.id} end the process that reads them (${words})`)
}
