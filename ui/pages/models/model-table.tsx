import { offlineSinceMs } from '../../api/connection.ts'
import { bytesText } from '../../parts/bytes-text.ts'
import { moneyText } from '../../parts/money-text.ts'
import { RowMenu } from '../../parts/row-menu.tsx'
import { StateWord } from '../../parts/state-word.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { fitText, type LiveModel, memoryText, stateText } from './model-state.ts'
import type { ModelAction } from './use-model-actions.tsx'

interface ModelTableProps {
  readonly models: readonly LiveModel[]
  readonly actionsOf: (model: LiveModel) => readonly ModelAction[]
}

export function ModelTable({ models, actionsOf }: ModelTableProps) {
  const titles = texts.models.columns
  const columns: readonly Column<LiveModel>[] = [
    { title: titles.model, cell: nameCell },
    { title: titles.state, cell: stateCell },
    { title: titles.disk, isNumber: true, cell: diskCell },
    { title: titles.memory, cell: memoryCell },
    { title: titles.lastUsed, cell: ({ row }) => (row.lastUsedMs === null ? '' : <Time at={row.lastUsedMs} />) },
    { title: titles.price, cell: ({ row }) => <span class="muted">{pricesOf(row)}</span> },
    { title: titles.actions, cell: (model) => <Actions model={model} actions={actionsOf(model)} /> },
  ]
  return <Table caption={texts.models.caption} columns={columns} rows={models} rowKey={({ row }) => row.id} />
}

/**
 * Returns the address of a model's page. An engine's id may have a suffix after a colon, which models' ids never
 * contain.
 */
export function modelAddress(engineId: string): string {
  const [id = ''] = engineId.split(':')
  return `/admin/models/${id.split('/').map(encodeURIComponent).join('/')}`
}

function nameCell({ row }: LiveModel) {
  return (
    <>
      <a class="breaks" href={modelAddress(row.id)}>
        {row.id}
      </a>
      <span class="sub">
        {row.type}
        {row.isCarried && <span class="badge">{texts.models.tiny}</span>}
        {row.isPinned && <span class="badge">{texts.models.pinned}</span>}
      </span>
    </>
  )
}

function stateCell(model: LiveModel) {
  const { tone, word, more } = stateText(model)
  const { pull } = model
  return (
    <>
      <StateWord tone={tone} word={word} />
      {pull?.state === 'running' && <progress value={pull.bytes} max={Math.max(1, pull.total)} aria-label={word} />}
      {more !== '' && <span class="sub">{more}</span>}
    </>
  )
}

function diskCell({ row }: LiveModel) {
  if (row.diskBytes > 0) return bytesText(row.diskBytes)
  return row.downloadBytes === null ? (
    ''
  ) : (
    <span class="muted">{texts.models.estimated(bytesText(row.downloadBytes))}</span>
  )
}

function memoryCell(model: LiveModel) {
  const { row } = model
  const fit = row.fit?.verdict === 'fits' ? '' : fitText(row)
  return (
    <span title={fitText(row)}>
      {memoryText(model)}
      {fit !== '' && <span class="sub warn">{fit}</span>}
    </span>
  )
}

export function pricesOf({ pricing }: LiveModel['row']): string {
  if (pricing === null) return texts.models.noPrice
  const { unit, inputUsd, outputUsd, priceUsd } = pricing
  const amounts = [inputUsd, outputUsd, priceUsd].filter((usd) => typeof usd === 'string')
  const [first = '0', second] = amounts.map((usd) => moneyText(usd).text)
  if (amounts.every((usd) => Number(usd) === 0)) return texts.play.free
  const per = texts.play.units[unit]
  return second === undefined ? texts.play.onePrice(first, per) : texts.models.twoPrices(first, second, per)
}

function Actions({ model, actions }: { readonly model: LiveModel; readonly actions: readonly ModelAction[] }) {
  const { id } = model.row
  const isOffline = offlineSinceMs.value !== undefined
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
