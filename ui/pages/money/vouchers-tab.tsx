import { useState } from 'preact/hooks'
import { perform, type Rows, useResult } from '../../api/operation.ts'
import { announce } from '../../parts/announce.tsx'
import { Chips } from '../../parts/chips.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Id } from '../../parts/id.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { AccountLink } from '../../parts/operator/account-link.tsx'
import { Pager, pageQuery, shownRows } from '../../parts/pager.tsx'
import { ShowAll } from '../../parts/show-all.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/operator-texts.ts'
import { CodesDialog, type CreatedVouchers } from './codes-dialog.tsx'
import { CreateVouchersDialog } from './create-vouchers-dialog.tsx'

type Voucher = Rows<'vouchers-list'>
type State = 'open' | 'redeemed' | 'expired' | 'revoked'

/** Lists vouchers by state, creates new ones, whose codes are shown once, and revokes them. */
export function VouchersTab({ onChange }: { readonly onChange: () => void }) {
  const words = texts.money
  const chosen = place.value.query.get('state')
  const state = (['open', 'redeemed', 'expired', 'revoked'] as const).find((name) => name === chosen)
  const answer = useResult('vouchers-list', { state, ...pageQuery() })
  const [isCreating, setIsCreating] = useState(false)
  const [created, setCreated] = useState<CreatedVouchers>()
  const [revoking, setRevoking] = useState<Voucher>()
  const changed = () => {
    onChange()
    void answer.reload()
  }
  return (
    <div class="stack">
      <div class="toolbar">
        <May perform="vouchers-create">
          <button type="button" class="primary" onClick={() => setIsCreating(true)}>
            <Icon name="plus" /> {words.create}
          </button>
        </May>
        <Chips
          label={words.stateLabel}
          value={state ?? 'all'}
          choices={words.states}
          onChange={(next) => setQuery({ state: next === 'all' ? undefined : next, before: undefined })}
        />
      </div>
      <Loaded answer={answer} lines={6}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty text={state === undefined ? words.noVouchersYet : words.noVouchers}>
              {state !== undefined && <ShowAll filters={['state']} />}
            </Empty>
          ) : (
            <>
              <VoucherTable rows={shownRows(rows)} onRevoke={setRevoking} />
              <Pager rows={rows} idOf={({ id }) => id} />
            </>
          )
        }
      </Loaded>
      {isCreating && (
        <CreateVouchersDialog
          onClose={() => setIsCreating(false)}
          onCreated={(made) => {
            setIsCreating(false)
            setCreated(made)
            changed()
          }}
        />
      )}
      {created !== undefined && <CodesDialog created={created} onClose={() => setCreated(undefined)} />}
      {revoking !== undefined && (
        <FormDialog
          title={words.revokeTitle(revoking.id)}
          text={words.revokeText}
          button={words.revoke}
          isDangerous
          onClose={() => setRevoking(undefined)}
          onSend={async () => {
            await perform('vouchers-revoke', { id: revoking.id })
            announce(words.revoked(revoking.id))
            setRevoking(undefined)
            changed()
          }}
        />
      )}
    </div>
  )
}

interface VoucherTableProps {
  readonly rows: readonly Voucher[]
  readonly onRevoke: (voucher: Voucher) => void
}

function VoucherTable({ rows, onRevoke }: VoucherTableProps) {
  const { columns: titles, caption, states, revoke } = texts.money
  return (
    <Table
      caption={caption}
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        { title: titles.id, cell: ({ id }) => <Id text={id} /> },
        { title: titles.state, cell: (row) => states[stateOf(row, Date.now())] },
        {
          title: titles.by,
          cell: ({ redeemedBy: by, accountName }) => by && <AccountLink id={by} name={accountName} />,
        },
        { title: titles.created, cell: ({ createdMs }) => <Time at={createdMs} /> },
        {
          title: titles.expires,
          cell: ({ expiresAtMs }) => (expiresAtMs === null ? texts.shared.never : <Time at={expiresAtMs} />),
        },
        { title: titles.memo, cell: ({ memo }) => memo },
        { title: titles.amount, usd: ({ amountUsd }) => amountUsd },
        {
          title: titles.actions,
          cell: (row) =>
            stateOf(row, Date.now()) === 'open' && (
              <May perform="vouchers-revoke">
                <button type="button" class="small danger" onClick={() => onRevoke(row)}>
                  {revoke} <span class="unseen">{row.id}</span>
                </button>
              </May>
            ),
        },
      ]}
    />
  )
}

function stateOf({ redeemedMs, revokedMs, expiresAtMs }: Voucher, nowMs: number): State {
  if (redeemedMs !== null) return 'redeemed'
  if (revokedMs !== null) return 'revoked'
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'open'
}
