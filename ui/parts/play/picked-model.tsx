import type { ComponentChildren } from 'preact'
import type { ModelType } from '../../../src/core/model.ts'
import { place, setQuery } from '../../router/router.ts'
import { Loaded } from '../loaded.tsx'
import { ModelPicker, NoModels } from '../model-picker/model-picker.tsx'
import { chosenModel, type PlayModel, usePlayModels } from './play-models.ts'

interface PickedModelProps {
  readonly types: readonly ModelType[]
  /**
   * Returns the content for the chosen model. `models` are all of these types, so that content for a model without an
   * ability can name one that has it.
   */
  readonly children: (model: PlayModel, models: readonly PlayModel[]) => ComponentChildren
}

/** Chooses a model, kept in the address, and shows the content for it. Without models it explains how to get one. */
export function PickedModel({ types, children }: PickedModelProps) {
  const answer = usePlayModels(types)
  return (
    <Loaded answer={answer}>
      {(models) => {
        const id = chosenModel(models, place.value.query.get('model') ?? undefined)
        const model = models.find((each) => each.id === id)
        if (model === undefined) return <NoModels />
        return (
          <div class="stack">
            <ModelPicker types={types} models={models} value={id} onChange={(chosen) => setQuery({ model: chosen })} />
            {children(model, models)}
          </div>
        )
      }}
    </Loaded>
  )
}
