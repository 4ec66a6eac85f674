import type { InstalledModel } from '../core/model.ts'
import type { Work, WorkEvent } from '../core/work.ts'
import type { RequestContext, WorkEngines } from '../engines/protocol/work-engines.ts'

/** Returns a pool that runs work by the test's function. */
export function workEngines(
  run: (model: InstalledModel, work: Work, context: RequestContext) => AsyncGenerator<WorkEvent>,
): WorkEngines {
  return { run: run as WorkEngines['run'] } // a test gives each kind of work its own events
}
