import { texts } from '../../texts/texts.ts'
import { Icon } from '../icon.tsx'
import { abilitiesOf } from '../play/abilities.ts'
import { type LoadingModel, ServedState } from '../play/model-state.tsx'
import { isTiny } from '../play/play-models.ts'
import { priceText } from '../play/price-text.ts'
import type { PickerRow } from './picker-rows.ts'

interface ModelOptionProps {
  readonly id: string
  readonly row: PickerRow
  readonly loading: readonly LoadingModel[] | undefined
  readonly isChosen: boolean
  /** True if Enter chooses it. */
  readonly isActive: boolean
  readonly onActive: () => void
  readonly onChoose: () => void
}

/** Shows a model in the list: its name and state, then what it can and costs. */
export function ModelOption({ id, row, loading, isChosen, isActive, onActive, onChoose }: ModelOptionProps) {
  const { model, act } = row
  const facts = [abilitiesOf(model).join(', '), priceText(model)].filter((each) => each !== '')
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys.
    <div
      id={id}
      role="option"
      class={isActive ? 'model-option active' : 'model-option'}
      aria-selected={isChosen}
      aria-disabled={act === 'none'}
      onPointerMove={() => act !== 'none' && !isActive && onActive()}
      onClick={onChoose}
    >
      <span class="option-name">
        <b>{model.id}</b>
        {isChosen && <Icon name="check" />}
        {isTiny(model) && <span class="badge">{texts.play.tiny}</span>}
      </span>
      <span class="option-facts">
        <ServedState model={model} loading={loading} />
      </span>
      <span class="option-facts muted">{facts.join(' · ')}</span>
      {act === 'manage' && (
        <span class="option-get">{texts.play.picker.manage[model.status === 'broken' ? 'broken' : 'get']}</span>
      )}
    </div>
  )
}
