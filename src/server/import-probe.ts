import type { Config } from '../config/config.ts'
import { errorText } from '../core/error-text.ts'
import { engineSpawn, ownCommand } from '../engines/host/spawn-engine.ts'
import { probeModel } from '../engines/probe-model.ts'
import { runtimePaths } from '../engines/runtime/runtime-paths.ts'
import { diarizerOf, diarizes } from '../inference/diarizer.ts'
import { ImportError } from '../store/import/found-model.ts'
import type { ImportOptions } from '../store/import/import-model.ts'

/** Returns a probe that loads the model, with its diarizer if any, in a child as the server would. */
export function importProbe(config: Config, signal: AbortSignal): NonNullable<ImportOptions['probe']> {
  const spawn = engineSpawn({ command: ownCommand(), environment: config.engineEnvironment })
  return async (model) => {
    const options = { spawn, settings: config, runtime: () => runtimePaths(config.data) }
    try {
      const remarks = await probeModel(model, options, signal)
      if (!diarizes(model.manifest)) return remarks
      return [...remarks, ...(await probeModel(diarizerOf(model), options, signal))]
    } catch (error) {
      signal.throwIfAborted()
      const reason = errorText(error)
      throw new ImportError(`the engine cannot load ${model.manifest.id}, so it was not imported: ${reason}`)
    }
  }
}
