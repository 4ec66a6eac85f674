import type { Catalog } from '../../catalog/catalog.ts'
import type { ModelPlan } from '../plan.ts'
import type { Hub } from './hub.ts'

/** `asked`: by the operator. `useful`: they come where their source has them. */
export type GpuFilesWish = 'asked' | 'useful' | 'no'

export interface SourceContext {
  readonly catalog: Catalog
  readonly hub: Hub
  readonly signal: AbortSignal
  /** Id of the new model, where the source does not name one of the catalog. Its form has been checked. */
  readonly id: string | undefined
  /** Sum that the file must have. */
  readonly sha256: string | undefined
  /** The projector beside the model is wanted too. */
  readonly withProjector: boolean
  /** Tells whether files that only loads on a GPU use are wanted; called where the model has any. */
  readonly gpuFilesWish: () => GpuFilesWish | Promise<GpuFilesWish>
  /** The model may take the place of one that is there. */
  readonly isForced: boolean
}

export interface SourcePlan {
  readonly plan: ModelPlan
  /** Hints for the operator. */
  readonly notes: readonly string[]
  /** The catalog does not know the model: its manifest has to be written. */
  readonly isNew: boolean
}

/** A kind of source. */
export interface Source {
  /** For people. */
  readonly form: string
  readonly pattern: RegExp
  /** Throws PlanError and WebError. */
  readonly plan: (text: string, context: SourceContext) => Promise<SourcePlan>
}
