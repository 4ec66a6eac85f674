import type { RefObject } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ModelType } from '../../../src/core/model.ts'
import { status } from '../../api/session.ts'
import { go } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../icon.tsx'
import type { LoadingModel } from '../play/model-state.tsx'
import { useListedModels } from '../play/play-models.ts'
import { ModelOption } from './model-option.tsx'
import { movedTo, type PickerRow, pickerRows } from './picker-rows.ts'

const words = texts.play.picker

/** Size of the list on a wide page, in pixels. It is smaller where the page is. */
const list = { width: 480, height: 480, gap: 4 }

interface ModelListProps {
  readonly types: readonly ModelType[]
  /** Id of the chosen model */
  readonly value: string
  readonly loading: readonly LoadingModel[] | undefined
  /** Button below which the list opens, and to which the focus returns */
  readonly button: RefObject<HTMLElement | null>
  readonly onChange: (id: string) => void
  readonly onClose: () => void
}

/** Lists models to choose one, with a field that searches them: below the button or, on a phone, as a sheet. */
export function ModelList({ types, value, loading, button, onChange, onClose }: ModelListProps) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [search, setSearch] = useState('')
  const [wanted, setWanted] = useState<string | undefined>(value)
  const models = useListedModels().data
  const isOperator = status.value?.role === 'operator'
  const { here, absent } = pickerRows(models ?? [], { types, search, isOperator })
  const rows = [...here, ...absent]
  // A search may have left out the row that was active.
  const active = rows.some(({ model }) => model.id === wanted) ? wanted : movedTo(rows, undefined, 1)
  const optionId = (model: string | undefined) => (model === undefined ? undefined : `${id}-${model}`)

  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => {
      shown?.close()
      button.current?.focus()
    }
  }, [])
  useEffect(() => {
    document.getElementById(optionId(active) ?? '')?.scrollIntoView({ block: 'nearest' })
  }, [active, models === undefined])

  const choose = ({ model, act }: PickerRow) => {
    if (act === 'choose') onChange(model.id)
    if (act === 'manage') go(`/admin/models/${encodeURIComponent(model.id)}`)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || !['ArrowDown', 'ArrowUp', 'Enter'].includes(event.key)) return
    event.preventDefault()
    if (event.key !== 'Enter') return setWanted(movedTo(rows, active, event.key === 'ArrowDown' ? 1 : -1))
    const row = rows.find(({ model }) => model.id === active)
    if (row !== undefined) choose(row)
  }
  const leave = (event: Event) => {
    event.preventDefault()
    // Escape closes the list alone, and ends nothing on the page.
    event.stopPropagation()
    onClose()
  }
  const options = (group: readonly PickerRow[]) =>
    group.map((row) => (
      <ModelOption
        key={row.model.id}
        id={optionId(row.model.id) ?? ''}
        {...{ row, loading }}
        isChosen={row.model.id === value}
        isActive={row.model.id === active}
        onActive={() => setWanted(row.model.id)}
        onChoose={() => choose(row)}
      />
    ))
  return (
    <dialog
      ref={dialog}
      class="model-list"
      aria-label={words.title}
      style={listPlace(button.current)}
      onCancel={leave}
      onKeyDown={(event) => event.key === 'Escape' && leave(event)}
      onMouseDown={(event) => event.target === event.currentTarget && leave(event)}
    >
      <div class="model-list-content">
        <div class="row">
          {/* The first to be focused where it is shown, so that no keyboard covers the sheet of a phone. */}
          <button type="button" class="quiet close" onClick={onClose}>
            <Icon name="x" /> <span class="unseen">{texts.shared.close}</span>
          </button>
          <input
            type="text"
            role="combobox"
            aria-label={words.search}
            aria-expanded={rows.length > 0}
            aria-controls={`${id}-list`}
            aria-activedescendant={optionId(active)}
            aria-autocomplete="list"
            autoComplete="off"
            placeholder={words.search}
            maxLength={100}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
            onKeyDown={onKeyDown}
          />
        </div>
        <p role="status" class={rows.length > 0 ? 'unseen' : 'hint'}>
          {models === undefined ? texts.shared.loading : words.found(rows.length)}
        </p>
        <div id={`${id}-list`} role="listbox" aria-label={words.title} hidden={rows.length === 0}>
          {options(here)}
          {absent.length > 0 && (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a list of options.
            <div role="group" aria-labelledby={`${id}-absent`}>
              <p id={`${id}-absent`} class="hint">
                {isOperator ? words.absent : words.absentAsk}
              </p>
              {options(absent)}
            </div>
          )}
        </div>
      </div>
    </dialog>
  )
}

/** Returns where the list opens, as custom properties: below the button, or above where there is more room. */
function listPlace(button: HTMLElement | null): Readonly<Record<string, string>> {
  const { left = 0, top = 0, bottom = 0 } = button?.getBoundingClientRect() ?? {}
  const { gap, width, height } = list
  const below = innerHeight - bottom - 2 * gap
  const above = top - 2 * gap
  const isBelow = below >= Math.min(height, above)
  return {
    '--list-left': `${Math.max(gap, Math.min(left, innerWidth - width - gap))}px`,
    '--list-top': isBelow ? `${bottom + gap}px` : 'auto',
    '--list-bottom': isBelow ? 'auto' : `${innerHeight - top + gap}px`,
    '--list-most': `${Math.min(height, isBelow ? below : above)}px`,
  }
}
