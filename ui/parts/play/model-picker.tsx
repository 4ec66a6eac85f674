import { useId } from 'preact/hooks'
import { status } from '../../api/session.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../loaded.tsx'
import { ServedState, useLoading } from './model-state.tsx'
import { canAnswer, type PlayModel } from './play-models.ts'
import { priceText } from './price-text.ts'

interface ModelPickerProps {
  readonly models: readonly PlayModel[]
  /** Id of the chosen model */
  readonly value: string
  readonly onChange: (id: string) => void
  readonly label?: string
}

/** Chooses a model, with its state and price beside it. */
export function ModelPicker({ models, value, onChange, label = texts.play.model }: ModelPickerProps) {
  const id = useId()
  const chosen = models.find((model) => model.id === value)
  return (
    <div class="model-picker">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {models.map((model) => (
          <option key={model.id} value={model.id} disabled={!canAnswer(model)}>
            {model.id}
            {canAnswer(model) ? '' : ` · ${texts.play.states[model.status].text}`}
          </option>
        ))}
      </select>
      {chosen !== undefined && <ModelFacts model={chosen} />}
    </div>
  )
}

function ModelFacts({ model }: { readonly model: PlayModel }) {
  const loading = useLoading()
  const isTiny = model.id.startsWith('inferd/starter')
  return (
    <span class="model-facts">
      <ServedState model={model} loading={loading} />
      <span class="muted">{priceText(model)}</span>
      {isTiny && <span class="badge">{texts.play.tiny}</span>}
    </span>
  )
}

/** Replaces a page for which no model is on this disk. */
export function NoModels() {
  const isOperator = status.value?.is_operator === true
  return (
    <Empty text={isOperator ? texts.play.noModels : texts.play.noModelsAsk}>
      {isOperator && (
        <a class="button primary" href="/admin/models">
          {texts.play.getModel}
        </a>
      )}
    </Empty>
  )
}
