import type { Catalog } from '../../catalog/catalog.ts'
import type { ModelPlan } from '../plan.ts'
import type { Hub } from './hub.ts'

/**
 * Decision of a pull about files for a GPU. `asked`: the operator wants them. `useful`: they come if their source has
 * them.
 */
export type GpuFilesWish = 'asked' | 'useful' | 'no'

export interface SourceContext {
  readonly catalog: Catalog
  readonly hub: Hub
  readonly signal: AbortSignal
  /** Id of the new model if the source does not name one of the catalog. Its form has been checked. */
  readonly id: string | undefined
  /** SHA-256 that the file must have. */
  readonly sha256: string | undefined
  /** True if the projector beside the model is wanted too. */
  readonly withProjector: boolean
  /** Returns whether files that only loads on a GPU use are wanted. Called only for models that have any. */
  readonly gpuFilesWish: () => GpuFilesWish | Promise<GpuFilesWish>
  /** True if the model may replace an existing one. */
  readonly isForced: boolean
}

export interface SourcePlan {
  readonly plan: ModelPlan
  /** Hints for the operator. */
  readonly notes: readonly string[]
  /** True if the catalog does not know the model, so that its manifest has to be written. */
  readonly isNew: boolean
}

/** A kind of source. */
export interface Source {
  /** Form of the source's text, as errors list it. */
  readonly form: string
  readonly pattern: RegExp
  /** Returns the plan for the operator's text. Throws PlanError and WebError. */
  readonly plan: (text: string, context: SourceContext) => Promise<SourcePlan>
}
