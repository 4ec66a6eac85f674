import { useEffect, useRef, useState } from 'preact/hooks'
import type { ModelType } from '../../../src/core/model.ts'
import { status } from '../../api/session.ts'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../icon.tsx'
import { later } from '../later.tsx'
import { Empty } from '../loaded.tsx'
import { ServedState, useLoading } from '../play/model-state.tsx'
import type { PlayModel } from '../play/play-models.ts'
import { priceText } from '../play/price-text.ts'

const loadList = () => import('./model-list.tsx').then((loaded) => loaded.ModelList)
const ModelList = later(loadList)

interface ModelPickerProps {
  readonly types: readonly ModelType[]
  /** Models of these types on this disk */
  readonly models: readonly PlayModel[]
  /** Id of the chosen model */
  readonly value: string
  readonly onChange: (id: string) => void
  /** Shown before the model. By default only screen readers hear "Model". */
  readonly label?: string | undefined
}

/** Shows the chosen model with its state and price. A press opens the list to choose another one. */
export function ModelPicker({ types, models, value, onChange, label }: ModelPickerProps) {
  const loading = useLoading()
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  // Loads the list after the page, so that it opens at once.
  useEffect(() => void loadList().catch(() => undefined), [])
  const nameAt = value.indexOf('/') + 1
  const chosen = models.find((model) => model.id === value)
  return (
    <div class="model-picker">
      <button
        ref={button}
        type="button"
        class="model-button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(true)}
      >
        <span class={label === undefined ? 'unseen' : 'muted'}>{label ?? texts.play.model}</span>{' '}
        <b>
          <span class="maker">{value.slice(0, nameAt)}</span>
          {value.slice(nameAt)}
        </b>{' '}
        <span class="model-facts">
          {chosen !== undefined && (
            <>
              <ServedState model={chosen} loading={loading} />
              <span class="muted">{priceText(chosen)}</span>
            </>
          )}
        </span>
        <Icon name="chevron-down" />
      </button>
      {isOpen && (
        <ModelList
          {...{ types, value, loading, button }}
          onChange={(model) => {
            setIsOpen(false)
            onChange(model)
          }}
          onClose={() => setIsOpen(false)}
        />
      )}
    </div>
  )
}

/** Replaces a page for which no model is on this disk. */
export function NoModels() {
  const isOperator = status.value?.role === 'operator'
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
