import { useState } from 'preact/hooks'
import { modelAddress } from '../../parts/model-mark.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { catalogOrder } from './catalog-order.ts'
import { type ActionsOf, ModelButtons } from './model-buttons.tsx'
import { FitCell, licenseText, StateCell, sizeText } from './model-cells.tsx'
import { type LiveModel, stateText } from './model-state.ts'

interface RecommendedProps {
  readonly models: readonly LiveModel[]
  readonly actionsOf: ActionsOf
}

/**
 * Shows the model to take for each purpose on this machine. Folded once the operator has a model besides those that
 * come with the program.
 */
export function Recommended({ models, actionsOf }: RecommendedProps) {
  const chosen = catalogOrder(models.filter(({ row }) => row.isRecommended))
  // Decided once, so that the end of a download does not fold the cards that one reads.
  const [isNew] = useState(() => !models.some(({ row }) => row.isInstalled && !row.isCarried))
  if (chosen.length === 0) return null
  const { recommendedTitle, recommendedText } = texts.models
  return (
    <details class="recommended" open={isNew}>
      <summary>
        <h2>{recommendedTitle}</h2>
      </summary>
      <p class="hint">{recommendedText}</p>
      <ul class="model-cards">
        {chosen.map((model) => (
          <ModelCard key={model.row.id} model={model} actionsOf={actionsOf} />
        ))}
      </ul>
    </details>
  )
}

/** Shows one model with what decides whether one takes it. */
function ModelCard({ model, actionsOf }: { readonly model: LiveModel; readonly actionsOf: ActionsOf }) {
  const { row } = model
  const isAbsent = row.status === 'available' && stateText(model).more === '' && model.pull?.state !== 'running'
  return (
    <li class="card model-card">
      <span class="muted">{texts.shared.purposes[row.purpose]}</span>
      <a class="breaks" href={modelAddress(row.id)}>
        {row.id}
      </a>
      <span class="why">{row.why}</span>
      <span class="sub">
        <span>{sizeText(model) || texts.models.sizeUnknown}</span>
        <span>{licenseText(model)}</span>
      </span>
      <span class="model-card-end">
        <span>{isAbsent ? <FitCell model={model} /> : <StateCell model={model} />}</span>
        <ModelButtons model={model} actionsOf={actionsOf} />
      </span>
    </li>
  )
}
