import { offlineSinceMs } from '../../api/connection.ts'
import { type MenuItem, RowMenu } from '../../parts/row-menu.tsx'
import { texts } from '../../texts/operator-texts.ts'
import type { LiveModel } from './model-state.ts'

export interface ModelAction extends MenuItem {
  /** True for the most likely action, shown as a button, not in the menu. */
  readonly isMain?: boolean
}

export type ActionsOf = (model: LiveModel) => readonly ModelAction[]

/** Shows the main actions of a model as buttons, the others in a menu. */
export function ModelButtons({ model, actionsOf }: { readonly model: LiveModel; readonly actionsOf: ActionsOf }) {
  const { id } = model.row
  const isOffline = offlineSinceMs.value !== undefined
  const actions = actionsOf(model)
  const rest = actions.filter(({ isMain }) => isMain !== true)
  return (
    <span class="row nowrap">
      {actions
        .filter(({ isMain }) => isMain === true)
        .map(({ label, onChoose }) => (
          <button key={label} type="button" class="small" disabled={isOffline} onClick={onChoose}>
            {label} <span class="unseen">{id}</span>
          </button>
        ))}
      {rest.length > 0 && (
        <RowMenu
          label={texts.models.actionsOf(id)}
          items={rest.map((action) => ({ ...action, isDisabled: isOffline }))}
        />
      )}
    </span>
  )
}
