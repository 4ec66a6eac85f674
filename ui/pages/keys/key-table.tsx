import type { ListedKey } from '../../../src/wire/pages/keys.ts'
import { offlineSinceMs } from '../../api/connection.ts'
import { Money } from '../../parts/money.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { utcDay } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'

interface KeyTableProps {
  readonly keys: readonly ListedKey[]
  readonly onRename: (key: ListedKey) => void
  readonly onRevoke: (key: ListedKey) => void
}

/** Usable keys, and below them, folded away, those that have ended. */
export function KeyTable({ keys, onRename, onRevoke }: KeyTableProps) {
  const usable = keys.filter((key) => !hasEnded(key, Date.now()))
  const ended = keys.filter((key) => hasEnded(key, Date.now()))
  const { columns: titles } = texts.keys
  const columns: readonly Column<ListedKey>[] = [
    { title: titles.name, cell: (key) => <b class="breaks">{key.name}</b> },
    {
      title: titles.key,
      cell: (key) => (key.is_playground ? texts.keys.ofPages : <code class="whole">{key.prefix}…</code>),
    },
    { title: titles.created, cell: ({ created }) => <Time at={created} /> },
    { title: titles.lastUsed, cell: lastUsed },
    { title: titles.expires, cell: expiry },
    { title: titles.cost, isNumber: true, cell: (key) => <Money usd={key.cost_30d_usd} /> },
  ]
  const isOffline = offlineSinceMs.value !== undefined
  const actions: Column<ListedKey> = {
    title: titles.actions,
    cell: (key) =>
      key.is_playground ? null : (
        <span class="row">
          <button type="button" class="small" disabled={isOffline} onClick={() => onRename(key)}>
            {texts.keys.rename} <span class="unseen">{key.name}</span>
          </button>
          <button type="button" class="small danger" disabled={isOffline} onClick={() => onRevoke(key)}>
            {texts.keys.revoke} <span class="unseen">{key.name}</span>
          </button>
        </span>
      ),
  }
  return (
    <>
      {usable.length > 0 && (
        <Table caption={texts.keys.caption} columns={[...columns, actions]} rows={usable} rowKey={({ id }) => id} />
      )}
      {ended.length > 0 && (
        <details class="ended">
          <summary>{texts.keys.ended(ended.length)}</summary>
          <Table caption={texts.keys.ended(ended.length)} columns={columns} rows={ended} rowKey={({ id }) => id} />
        </details>
      )}
    </>
  )
}

export function hasEnded({ revoked, expires }: Pick<ListedKey, 'revoked' | 'expires'>, nowMs: number): boolean {
  return revoked !== null || (expires !== null && Date.parse(expires) <= nowMs)
}

const soonMs = 7 * 24 * 60 * 60 * 1_000

function expiry({ revoked, expires }: ListedKey) {
  if (revoked !== null) return texts.keys.revoked
  if (expires === null) return texts.keys.doesNotExpire
  const leftMs = Date.parse(expires) - Date.now()
  if (leftMs <= 0) return texts.keys.expired
  return (
    <>
      {utcDay(expires)} {leftMs < soonMs && <span class="badge warn">{texts.keys.expiresSoon}</span>}
    </>
  )
}

function lastUsed({ last_used: at }: ListedKey) {
  return at === null ? texts.shared.never : <Time at={at} />
}
