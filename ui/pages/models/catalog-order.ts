/** Order of the catalog: by purpose, and in each what one would take first. Pure. */
import type { ModelPurpose } from '../../../src/core/model.ts'
import { texts } from '../../texts/texts.ts'
import type { ModelListed } from './model-state.ts'

export const purposes = Object.keys(texts.shared.purposes) as ModelPurpose[]

type Ranked = Pick<ModelListed, 'purpose' | 'isRecommended' | 'isInstalled' | 'isCarried' | 'fit'>

/**
 * Returns the models by purpose: the recommended one, those that are here, those that can be had, those that are too
 * large, and last those that come with the program, which are for trying. Otherwise the order stays.
 */
export function catalogOrder<Model extends { readonly row: Ranked }>(models: readonly Model[]): readonly Model[] {
  return models.toSorted(
    ({ row: left }, { row: right }) =>
      purposes.indexOf(left.purpose) - purposes.indexOf(right.purpose) || rankOf(left) - rankOf(right),
  )
}

function rankOf({ isRecommended, isInstalled, isCarried, fit }: Ranked): number {
  if (isRecommended) return 0
  if (isCarried) return 4
  if (isInstalled) return 1
  return fit?.verdict === 'too-large' ? 3 : 2
}
