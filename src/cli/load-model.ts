import { sizeText } from '../core/quantities.ts'
import type { ServerStatus } from '../server/control.ts'
import { askServer } from './control-client.ts'
import type { ProcessIo } from './io.ts'
import { type OperationTarget, perform } from './perform.ts'

/** Time between two questions about a load, in milliseconds. */
const askEveryMs = 250

/**
 * Loads a model by its id, with its progress on a terminal. Throws CommandError if it cannot be loaded. Throws the
 * signal's reason once that aborts; the load itself goes on.
 */
export async function loadModel(
  target: OperationTarget,
  io: ProcessIo,
  model: string,
  signal: AbortSignal,
): Promise<void> {
  const loaded = perform(target, 'models-load', { model }).then(() => true)
  const { promise: left, reject } = Promise.withResolvers<never>()
  const leave = () => reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  try {
    signal.throwIfAborted()
    while (!(await Promise.race([loaded, left, Bun.sleep(askEveryMs).then(() => false)]))) {
      const status = await askServer(target.dataDir).catch(() => undefined)
      io.redraw?.(loadText(model, status))
    }
  } finally {
    signal.removeEventListener('abort', leave)
    io.redraw?.('')
  }
}

/** States of a model that is being loaded. */
const loadingStates: ReadonlySet<string> = new Set(['estimating', 'starting'])

/** Returns the line about a load: how far it is, the memory that it takes, and how long it has lasted. */
export function loadText(model: string, status: Pick<ServerStatus, 'engines'> | undefined): string {
  const engine = status?.engines.find(({ modelId, state }) => modelId === model && loadingStates.has(state))
  if (engine === undefined) return `Loading ${model} …`
  const { loadedFraction, estimatedBytes, loadingMs } = engine
  const bytes = Object.values(estimatedBytes ?? {}).reduce((sum, each) => sum + each, 0)
  const parts = [
    ...(loadedFraction === undefined ? [] : [`${Math.round(loadedFraction * 100)} %`]),
    ...(bytes === 0 ? [] : [sizeText(bytes)]),
    ...(loadingMs === undefined ? [] : [`${Math.round(loadingMs / 1000)} s`]),
  ]
  return `Loading ${model} ${parts.length === 0 ? '…' : ` ${parts.join(', ')}`}`
}
