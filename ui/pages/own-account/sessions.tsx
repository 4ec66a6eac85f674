import { useState } from 'preact/hooks'
import { offlineSinceMs } from '../../api/connection.ts'
import { type OwnRow, perform, useResult } from '../../api/own-operation.ts'
import { announce } from '../../parts/announce.tsx'
import { browserText } from '../../parts/browser-text.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/texts.ts'

type OwnSession = OwnRow<'sessions-list'>

const { ownAccount } = texts

/** Lists the account's sessions. Ends any other session, or all others at once. */
export function Sessions() {
  const answer = useResult('sessions-list', {})
  const [asked, setAsked] = useState<OwnSession | 'others'>()
  const isOffline = offlineSinceMs.value !== undefined
  const columns: readonly Column<OwnSession>[] = [
    { title: ownAccount.columns.browser, cell: (row) => <Browser row={row} /> },
    { title: ownAccount.columns.address, cell: ({ address }) => address ?? ownAccount.unknown },
    { title: ownAccount.columns.created, cell: ({ createdMs }) => <Time at={createdMs} /> },
    { title: ownAccount.columns.lastUsed, cell: ({ lastUsedMs }) => <Time at={lastUsedMs} /> },
    {
      ...{ title: ownAccount.columns.actions, isOptional: true },
      cell: (row) =>
        row.isCurrent ? null : (
          <button type="button" class="small danger" disabled={isOffline} onClick={() => setAsked(row)}>
            {ownAccount.end} <span class="unseen">{nameOf(row)}</span>
          </button>
        ),
    },
  ]
  return (
    <section class="stack">
      <div class="row">
        <h2 class="space">{ownAccount.sessionsTitle}</h2>
        {(answer.data?.length ?? 0) > 1 && (
          <button type="button" class="danger" disabled={isOffline} onClick={() => setAsked('others')}>
            {ownAccount.endAll}
          </button>
        )}
      </div>
      <Loaded answer={answer}>
        {(rows) => <Table caption={ownAccount.sessionsTitle} columns={columns} rows={rows} rowKey={({ id }) => id} />}
      </Loaded>
      {asked !== undefined && (
        <FormDialog
          title={asked === 'others' ? ownAccount.endAllTitle : ownAccount.endTitle(nameOf(asked))}
          text={ownAccount.endText}
          button={asked === 'others' ? ownAccount.endAll : ownAccount.end}
          isDangerous
          onClose={() => setAsked(undefined)}
          onSend={async () => {
            const { ended } = await perform('sessions-end', asked === 'others' ? {} : { session: asked.id })
            announce(ownAccount.ended(ended))
            setAsked(undefined)
            void answer.reload()
          }}
        />
      )}
    </section>
  )
}

function Browser({ row }: { readonly row: OwnSession }) {
  return (
    <>
      <span title={row.userAgent ?? undefined}>{nameOf(row)}</span>{' '}
      {row.isCurrent && <span class="badge ok">{ownAccount.thisOne}</span>}{' '}
      {row.role !== 'member' && <span class="badge">{texts.roles[row.role]}</span>}
    </>
  )
}

function nameOf({ userAgent }: OwnSession): string {
  return browserText(userAgent ?? '') ?? ownAccount.unknown
}
