import { useState } from 'preact/hooks'
import type { ListedSession, SessionList } from '../../../src/wire/pages/sessions.ts'
import { offlineSinceMs } from '../../api/connection.ts'
import { request } from '../../api/request.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { announce } from '../../parts/announce.tsx'
import { browserText } from '../../parts/browser-text.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/texts.ts'

const { ownAccount } = texts

/** Lists the account's sessions. Ends any other session, or all others at once. */
export function Sessions() {
  const answer = useAnswer<SessionList>('/dashboard/api/sessions')
  const [asked, setAsked] = useState<ListedSession | 'others'>()
  const isOffline = offlineSinceMs.value !== undefined
  const columns: readonly Column<ListedSession>[] = [
    { title: ownAccount.columns.browser, cell: (row) => <Browser row={row} /> },
    { title: ownAccount.columns.address, cell: ({ address }) => address ?? ownAccount.unknown },
    { title: ownAccount.columns.created, cell: ({ created }) => <Time at={created} /> },
    { title: ownAccount.columns.lastUsed, cell: ({ last_used: at }) => <Time at={at} /> },
    {
      title: ownAccount.columns.actions,
      cell: (row) =>
        row.is_current ? null : (
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
        {(answer.data?.data.length ?? 0) > 1 && (
          <button type="button" class="danger" disabled={isOffline} onClick={() => setAsked('others')}>
            {ownAccount.endAll}
          </button>
        )}
      </div>
      <Loaded answer={answer}>
        {({ data }) => (
          <Table caption={ownAccount.sessionsTitle} columns={columns} rows={data} rowKey={({ id }) => id} />
        )}
      </Loaded>
      {asked !== undefined && (
        <ConfirmDialog
          title={asked === 'others' ? ownAccount.endAllTitle : ownAccount.endTitle(nameOf(asked))}
          text={ownAccount.endText}
          button={asked === 'others' ? ownAccount.endAll : ownAccount.end}
          isDangerous
          onClose={() => setAsked(undefined)}
          onConfirm={async () => {
            const one = asked === 'others' ? '' : `/${encodeURIComponent(asked.id)}`
            const { ended } = await request<{ ended: number }>(`/dashboard/api/sessions${one}`, { method: 'DELETE' })
            announce(ownAccount.ended(ended))
            setAsked(undefined)
            void answer.reload()
          }}
        />
      )}
    </section>
  )
}

function Browser({ row }: { readonly row: ListedSession }) {
  return (
    <>
      <span title={row.user_agent ?? undefined}>{nameOf(row)}</span>{' '}
      {row.is_current && <span class="badge ok">{ownAccount.thisOne}</span>}{' '}
      {row.is_operator && <span class="badge">{ownAccount.operator}</span>}
    </>
  )
}

function nameOf({ user_agent: userAgent }: ListedSession): string {
  return browserText(userAgent ?? '') ?? ownAccount.unknown
}
