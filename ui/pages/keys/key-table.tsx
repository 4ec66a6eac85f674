import { offlineSinceMs } from '../../api/connection.ts'
import type { OwnRow } from '../../api/own-operation.ts'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { utcDay } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'

export type OwnKey = OwnRow<'keys-list'>
type Member = NonNullable<OwnRow<'teams-list-own'>['members']>[number]

interface KeyTableProps {
  readonly keys: readonly OwnKey[]
  /** True for revoked or expired keys, which have no actions. */
  readonly isEnded: boolean
  /** Members of the team that pays for the keys. Empty for all but its managers. */
  readonly members: readonly Member[]
  readonly onRename: (key: OwnKey) => void
  readonly onLimits: (key: OwnKey) => void
  readonly onRevoke: (key: OwnKey) => void
}

/** Lists the keys of one state, the latest first. */
export function KeyTable({ keys, isEnded, members, onRename, onLimits, onRevoke }: KeyTableProps) {
  const { columns: titles } = texts.keys
  const columns: readonly Column<OwnKey>[] = [
    { title: titles.name, cell: (key) => <b class="breaks">{key.name}</b> },
    {
      title: titles.key,
      cell: (key) => (key.isPlayground ? texts.keys.ofPages : <code class="whole">{key.prefix}…</code>),
    },
    ...(members.length === 0 ? [] : [{ title: titles.holder, cell: (key: OwnKey) => holderOf(key, members) }]),
    { title: titles.created, cell: ({ createdMs }) => <Time at={createdMs} /> },
    { title: titles.lastUsed, cell: lastUsed },
    { title: titles.expires, cell: expiry },
    { title: titles.cost, usd: ({ cost30DaysUsd }) => cost30DaysUsd ?? '0' },
  ]
  const isOffline = offlineSinceMs.value !== undefined
  const actions: Column<OwnKey> = {
    title: titles.actions,
    cell: (key) =>
      key.isPlayground ? null : (
        <span class="row">
          <button type="button" class="small" disabled={isOffline} onClick={() => onRename(key)}>
            {texts.keys.rename} <span class="unseen">{key.name}</span>
          </button>
          <button type="button" class="small" disabled={isOffline} onClick={() => onLimits(key)}>
            {texts.limits.title} <span class="unseen">{key.name}</span>
          </button>
          <button type="button" class="small danger" disabled={isOffline} onClick={() => onRevoke(key)}>
            {texts.keys.revoke} <span class="unseen">{key.name}</span>
          </button>
        </span>
      ),
  }
  return (
    <Table
      caption={isEnded ? texts.keys.states.ended : texts.keys.caption}
      columns={isEnded ? columns : [...columns, actions]}
      rows={keys}
      rowKey={({ id }) => id}
    />
  )
}

const soonMs = 7 * 24 * 60 * 60 * 1_000

function expiry({ revokedAtMs, expiresAtMs }: OwnKey) {
  if (revokedAtMs !== null) return texts.keys.revoked
  if (expiresAtMs === null) return texts.keys.doesNotExpire
  const leftMs = expiresAtMs - Date.now()
  if (leftMs <= 0) return texts.keys.expired
  return (
    <>
      {utcDay(expiresAtMs)} {leftMs < soonMs && <span class="badge warn">{texts.keys.expiresSoon}</span>}
    </>
  )
}

function lastUsed({ lastUsedMs: at }: OwnKey) {
  return at === null ? texts.shared.never : <Time at={at} />
}

/** Returns who uses a team's key; nothing for people who left. */
function holderOf({ holderId }: OwnKey, members: readonly Member[]) {
  const holder = members.find(({ accountId }) => accountId === holderId)
  return holder && <span class="breaks">{holder.email ?? holder.name}</span>
}
