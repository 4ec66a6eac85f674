import { MarkedName } from '../../parts/model-mark.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { type ActionsOf, ModelButtons } from './model-buttons.tsx'
import { FitCell, licenseText, StateCell, sizeText } from './model-cells.tsx'
import type { LiveModel } from './model-state.ts'

interface ModelTableProps {
  readonly models: readonly LiveModel[]
  readonly actionsOf: ActionsOf
}

/** Lists models in groups by purpose. */
export function ModelTable({ models, actionsOf }: ModelTableProps) {
  const titles = texts.models.columns
  const columns: readonly Column<LiveModel>[] = [
    { title: titles.model, cell: nameCell },
    { title: titles.state, cell: (model) => <StateCell model={model} /> },
    { title: titles.memory, cell: (model) => <FitCell model={model} /> },
    { title: titles.size, isNumber: true, cell: sizeText },
    { title: titles.license, cell: licenseText },
    { title: titles.actions, cell: (model) => <ModelButtons model={model} actionsOf={actionsOf} /> },
  ]
  return (
    <div class="model-table">
      <Table
        caption={texts.models.caption}
        columns={columns}
        rows={models}
        rowKey={({ row }) => row.id}
        groupOf={({ row }) => texts.shared.purposes[row.purpose]}
      />
    </div>
  )
}

function nameCell({ row }: LiveModel) {
  const { recommended, tiny, pinned } = texts.models
  return (
    <>
      <MarkedName id={row.id} />
      <span class="sub">
        {row.why !== null && <span>{row.why}</span>}
        {row.isRecommended && <span class="badge chosen">{recommended}</span>}
        {row.isCarried && <span class="badge">{tiny}</span>}
        {row.isPinned && <span class="badge">{pinned}</span>}
      </span>
    </>
  )
}
