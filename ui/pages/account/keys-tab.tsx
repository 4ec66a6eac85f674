import { useState } from 'preact/hooks'
import { perform, type Rows, useResult } from '../../api/operation.ts'
import { announce } from '../../parts/announce.tsx'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { May } from '../../parts/may.tsx'
import { Pager, pageQuery, shownRows } from '../../parts/pager.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { type AccountPartProps, nameOf } from './account-name.ts'
import { SubjectLimits } from './limits-tab.tsx'

type Key = Rows<'keys-list'>

type Open =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'secret'; readonly name: string; readonly secret: string }
  | { readonly dialog: 'revoke' | 'limits'; readonly key: Key }

/** Lists an account's keys, and creates keys for its owner, whose secret is shown once. */
export function KeysTab({ account }: AccountPartProps) {
  const answer = useResult('keys-list', { account: account.id, ...pageQuery() })
  const [open, setOpen] = useState<Open>()
  const words = texts.account
  const close = () => setOpen(undefined)
  const createButton = (
    <May perform="keys-create">
      <button type="button" onClick={() => setOpen({ dialog: 'create' })}>
        {words.createKey}
      </button>
    </May>
  )
  return (
    <>
      <Loaded answer={answer}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty text={words.noKeys}>{createButton}</Empty>
          ) : (
            <div class="stack">
              <KeyTable rows={shownRows(rows)} onOpen={(dialog, key) => setOpen({ dialog, key })} />
              <Pager rows={rows} idOf={({ id }) => id} />
              <div>{createButton}</div>
            </div>
          )
        }
      </Loaded>
      {open?.dialog === 'create' && (
        <FormDialog
          title={words.createKeyTitle(nameOf(account))}
          button={words.createKey}
          onClose={close}
          onSend={async (field) => {
            const { name, key: secret } = await perform('keys-create', { account: account.id, name: field('name') })
            setOpen({ dialog: 'secret', name, secret })
            void answer.reload()
          }}
        >
          <Field label={texts.keys.name} name="name" hint={texts.keys.nameHint} maxLength={100} required />
        </FormDialog>
      )}
      {open?.dialog === 'secret' && (
        <SecretDialog
          title={words.keyTitle(open.name)}
          text={words.keyText}
          label={texts.keys.secret}
          secret={open.secret}
          onClose={close}
        />
      )}
      {open?.dialog === 'limits' && <SubjectLimits subject={open.key.id} name={open.key.name} onClose={close} />}
      {open?.dialog === 'revoke' && (
        <FormDialog
          title={words.revokeTitle(open.key.name)}
          text={texts.keys.revokeText(lastUse(open.key))}
          button={texts.keys.revoke}
          isDangerous
          onClose={close}
          onSend={async () => {
            await perform('keys-revoke', { key: open.key.id })
            announce(texts.keys.revokeDone(open.key.name))
            close()
            await answer.reload()
          }}
        />
      )}
    </>
  )
}

function lastUse({ lastUsedMs }: Key): string {
  return lastUsedMs === null ? texts.shared.never : new Date(lastUsedMs).toISOString()
}

interface KeyTableProps {
  readonly rows: readonly Key[]
  readonly onOpen: (dialog: 'limits' | 'revoke', key: Key) => void
}

function KeyTable({ rows, onOpen }: KeyTableProps) {
  const titles = texts.account.keyColumns
  return (
    <Table
      caption={texts.keys.caption}
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        { title: titles.name, cell: ({ name }) => <b>{name}</b> },
        {
          title: titles.key,
          cell: (key) => (key.isPlayground ? texts.keys.ofPages : <code class="whole">{key.prefix}…</code>),
        },
        { title: titles.created, cell: ({ createdMs }) => <Time at={createdMs} /> },
        {
          title: titles.lastUsed,
          cell: ({ lastUsedMs }) => (lastUsedMs === null ? texts.shared.never : <Time at={lastUsedMs} />),
        },
        { title: titles.expires, cell: end },
        { title: titles.cost, usd: ({ cost30DaysUsd }) => cost30DaysUsd ?? '0' },
        {
          ...{ title: titles.actions, isOptional: true },
          cell: (key) =>
            key.isPlayground || key.revokedAtMs !== null ? null : (
              <span class="row">
                <May perform="limits-set">
                  <button type="button" class="small" onClick={() => onOpen('limits', key)}>
                    {texts.limits.title} <span class="unseen">{key.name}</span>
                  </button>
                </May>
                <May perform="keys-revoke">
                  <button type="button" class="small danger" onClick={() => onOpen('revoke', key)}>
                    {texts.keys.revoke} <span class="unseen">{key.name}</span>
                  </button>
                </May>
              </span>
            ),
        },
      ]}
    />
  )
}

function end({ revokedAtMs, expiresAtMs }: Key) {
  if (revokedAtMs !== null) return texts.keys.revoked
  return expiresAtMs === null ? texts.shared.never : <Time at={expiresAtMs} />
}
