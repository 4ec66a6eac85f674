/** Rows of the list of models, and the steps of the arrow keys in it. Pure. */
import type { ModelType } from '../../../src/core/model.ts'
import { abilitiesOf } from '../play/abilities.ts'
import { canAnswer, type PlayModel } from '../play/play-models.ts'

export interface PickerRow {
  readonly model: PlayModel
  /** `choose`: requests can name it. `manage`: the operator can get or mend it. `none`: only the operator could. */
  readonly act: 'choose' | 'manage' | 'none'
}

export interface PickerRows {
  readonly here: readonly PickerRow[]
  /** Models that are not on this disk */
  readonly absent: readonly PickerRow[]
}

interface Wanted {
  readonly types: readonly ModelType[]
  /** Words that each shown model must contain. Empty shows all. */
  readonly search: string
  readonly isOperator: boolean
}

/** Returns the models of these types that match. Members see models that are not on this disk only if they search. */
export function pickerRows(models: readonly PlayModel[], { types, search, isOperator }: Wanted): PickerRows {
  const words = search.toLowerCase().split(/\s+/)
  const found = models.filter((model) => {
    if (model.id !== model.canonical || !types.includes(model.type)) return false
    const text = [model.id, ...model.aliases, ...abilitiesOf(model)].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const refused = isOperator ? 'manage' : 'none'
  const rows = found.map((model): PickerRow => ({ model, act: canAnswer(model) ? 'choose' : refused }))
  const isAbsent = ({ model: { status } }: PickerRow) => status === 'available' || status === 'downloading'
  const showsAbsent = isOperator || search.trim() !== ''
  return { here: rows.filter((row) => !isAbsent(row)), absent: showsAbsent ? rows.filter(isAbsent) : [] }
}

/** Returns the id of the row that is `step` rows after the active one, going round at the ends. */
export function movedTo(rows: readonly PickerRow[], activeId: string | undefined, step: 1 | -1): string | undefined {
  const able = rows.filter(({ act }) => act !== 'none')
  const at = able.findIndex(({ model }) => model.id === activeId)
  const from = at === -1 && step === -1 ? 0 : at
  return able[(from + step + able.length) % Math.max(able.length, 1)]?.model.id
}
