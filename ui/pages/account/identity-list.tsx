import { useState } from 'preact/hooks'
import { perform, type Rows, useResult } from '../../api/operation.ts'
import { announce } from '../../parts/announce.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { type AccountPartProps, nameOf } from './account-name.ts'

type Identity = Rows<'identities-list'>

/** Lists the identities by which an account signs in, and unlinks them. Shows nothing without any. */
export function IdentityList({ account, onChange }: AccountPartProps) {
  const answer = useResult('identities-list', { account: account.id })
  const [unlinking, setUnlinking] = useState<string>()
  const words = texts.account
  const close = () => setUnlinking(undefined)
  return (
    <>
      <Loaded answer={answer} lines={1}>
        {(rows) => (rows.length === 0 ? null : <IdentityTable rows={rows} onUnlink={setUnlinking} />)}
      </Loaded>
      {unlinking !== undefined && (
        <FormDialog
          title={words.unlinkTitle(nameOf(account), unlinking)}
          text={words.unlinkText}
          button={words.unlink}
          isDangerous
          onClose={close}
          onSend={async () => {
            const { ended } = await perform('identities-unlink', { account: account.id, provider: unlinking })
            announce(words.ended(ended))
            close()
            onChange()
          }}
        />
      )}
    </>
  )
}

interface IdentityTableProps {
  readonly rows: readonly Identity[]
  readonly onUnlink: (provider: string) => void
}

function IdentityTable({ rows, onUnlink }: IdentityTableProps) {
  const words = texts.account
  const titles = words.identityColumns
  return (
    <Table
      caption={words.identities}
      rows={rows}
      rowKey={({ issuer, subject }) => `${issuer} ${subject}`}
      columns={[
        { title: titles.provider, cell: ({ provider, issuer }) => <span title={issuer}>{provider}</span> },
        { title: titles.email, cell: ({ email, subject }) => <span title={subject}>{email ?? ''}</span> },
        { title: titles.groups, cell: ({ groups }) => groups.join(', ') },
        {
          title: titles.lastSignIn,
          cell: ({ lastSignInMs, refusedMs }) => (
            <span>
              <Time at={lastSignInMs} />
              {refusedMs !== null && (
                <span class="bad">
                  {' '}
                  {words.refusedSince} <Time at={refusedMs} />
                </span>
              )}
            </span>
          ),
        },
        {
          title: titles.actions,
          cell: ({ provider }) => (
            <May perform="identities-unlink">
              <button type="button" class="small danger" onClick={() => onUnlink(provider)}>
                {words.unlink} <span class="unseen">{provider}</span>
              </button>
            </May>
          ),
        },
      ]}
    />
  )
}
