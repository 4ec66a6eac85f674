import { useState } from 'preact/hooks'
import { perform, type Rows, useResult } from '../../api/operation.ts'
import { announce } from '../../parts/announce.tsx'
import { browserText } from '../../parts/browser-text.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { type AccountPartProps, nameOf } from './account-name.ts'
import { IdentityList } from './identity-list.tsx'

type Session = Rows<'sessions-list'>

/** Lists the identities of an account and the browsers that are signed in to it. Signs out one of them or all. */
export function SessionsTab({ account, onChange }: AccountPartProps) {
  const answer = useResult('sessions-list', { account: account.id })
  const [ending, setEnding] = useState<Session | 'all'>()
  const words = texts.account
  const close = () => setEnding(undefined)
  return (
    <div class="stack">
      <IdentityList account={account} onChange={onChange} />
      <Loaded answer={answer}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty text={words.noSessions} />
          ) : (
            <div class="stack">
              <SessionTable rows={rows} onEnd={setEnding} />
              <div>
                <May perform="sessions-end">
                  <button type="button" class="danger" onClick={() => setEnding('all')}>
                    {words.endAll}
                  </button>
                </May>
              </div>
            </div>
          )
        }
      </Loaded>
      {ending !== undefined && (
        <FormDialog
          title={ending === 'all' ? words.endAllTitle(nameOf(account)) : words.endTitle}
          text={ending === 'all' ? words.endAllText : words.endText}
          button={ending === 'all' ? words.endAll : words.end}
          isDangerous
          onClose={close}
          onSend={async () => {
            const session = ending === 'all' ? {} : { session: ending.id }
            const { ended } = await perform('sessions-end', { account: account.id, ...session })
            announce(words.ended(ended))
            close()
            await answer.reload()
          }}
        />
      )}
    </div>
  )
}

interface SessionTableProps {
  readonly rows: readonly Session[]
  readonly onEnd: (session: Session) => void
}

function SessionTable({ rows, onEnd }: SessionTableProps) {
  const words = texts.account
  const titles = words.sessionColumns
  return (
    <Table
      caption={words.tabs.sessions}
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        { title: titles.browser, cell: (row) => <span title={row.userAgent ?? undefined}>{browserOf(row)}</span> },
        { title: titles.address, cell: ({ address }) => <code class="whole">{address ?? ''}</code> },
        { title: titles.created, cell: ({ createdMs }) => <Time at={createdMs} /> },
        { title: titles.lastUsed, cell: ({ lastUsedMs }) => <Time at={lastUsedMs} /> },
        { title: titles.rights, cell: ({ role }) => texts.roles[role] },
        {
          title: titles.actions,
          cell: (session) =>
            session.isCurrent ? (
              words.thisSession
            ) : (
              <May perform="sessions-end">
                <button type="button" class="small danger" onClick={() => onEnd(session)}>
                  {words.end} <span class="unseen">{browserOf(session)}</span>
                </button>
              </May>
            ),
        },
      ]}
    />
  )
}

function browserOf({ userAgent }: Session): string {
  return browserText(userAgent ?? '') ?? texts.account.unknownBrowser
}
