import type { InstalledModel } from '../core/model.ts'
import type { Work, WorkEvent } from '../core/work.ts'
import type { EngineMeter } from './meter.ts'

/** One request among those of its engine. */
export interface RequestContext {
  readonly accountId: string
  readonly signal: AbortSignal
  readonly meter: EngineMeter
}

/** What runs work: the part of the engine pool that use cases know. */
export interface WorkEngines {
  /** See `EngineProcess.run`. */
  run<Asked extends Work>(
    model: InstalledModel,
    work: Asked,
    context: RequestContext,
  ): AsyncGenerator<WorkEvent<Asked['kind']>>
}
