/** Keys of the account: created with a secret that is shown once, renamed and revoked. */
import { useState } from 'preact/hooks'
import { perform, useResult } from '../../api/own-operation.ts'
import { status } from '../../api/session.ts'
import { announce } from '../../parts/announce.tsx'
import { Chips } from '../../parts/chips.tsx'
import { CodeDrawer } from '../../parts/code-drawer.tsx'
import { exampleCall } from '../../parts/code-text.ts'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager, pageQuery, shownRows } from '../../parts/pager.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { exactTime } from '../../parts/time-text.ts'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import { CreateKeyDialog, type DatedKey } from './create-key-dialog.tsx'
import { FirstRequest } from './first-request.tsx'
import { KeyLimits } from './key-limits.tsx'
import { KeyTable, type OwnKey } from './key-table.tsx'

type Open =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'secret'; readonly key: DatedKey }
  | { readonly dialog: 'rename' | 'revoke' | 'limits'; readonly key: OwnKey }

export default function Keys() {
  const state = place.value.query.get('state') === 'ended' ? 'ended' : 'usable'
  const teams = useResult('teams-list-own', {}).data ?? []
  const team = teams.find(({ id }) => id === place.value.query.get('payer'))
  const payer = team?.id
  const answer = useResult('keys-list', { state, account: payer, ...pageQuery() })
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const closeChanged = () => {
    close()
    void answer.reload()
  }

  const createButton = (
    <button type="button" class="primary" onClick={() => setOpen({ dialog: 'create' })}>
      <Icon name="plus" /> {texts.keys.create}
    </button>
  )
  const inForceButton = (
    <button type="button" onClick={() => setQuery({ state: undefined, before: undefined })}>
      {texts.keys.showUsable}
    </button>
  )
  return (
    <Page title={texts.keys.title} intro={texts.keys.intro} action={createButton}>
      <div class="toolbar">
        <Chips
          label={texts.keys.stateLabel}
          value={state}
          choices={texts.keys.states}
          onChange={(chosen) => setQuery({ state: chosen === 'ended' ? chosen : undefined, before: undefined })}
        />
        {teams.length > 0 && (
          <Chips
            label={texts.keys.payFrom}
            value={payer ?? ''}
            choices={{ '': texts.keys.ownMoney, ...Object.fromEntries(teams.map(({ id, name }) => [id, name])) }}
            onChange={(chosen: string) => setQuery({ payer: chosen === '' ? undefined : chosen, before: undefined })}
          />
        )}
      </div>
      <div class="stack">
        <Loaded answer={answer}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty text={state === 'ended' ? texts.keys.noneEnded : texts.keys.empty}>
                {state === 'ended' ? inForceButton : createButton}
              </Empty>
            ) : (
              <>
                <KeyTable
                  keys={shownRows(rows)}
                  isEnded={state === 'ended'}
                  members={team?.members ?? []}
                  onRename={(key) => setOpen({ dialog: 'rename', key })}
                  onLimits={(key) => setOpen({ dialog: 'limits', key })}
                  onRevoke={(key) => setOpen({ dialog: 'revoke', key })}
                />
                <Pager rows={rows} idOf={({ id }) => id} />
              </>
            )
          }
        </Loaded>
        <FirstRequest />
      </div>
      {open?.dialog === 'create' && (
        <CreateKeyDialog
          payer={payer}
          onClose={close}
          onCreated={(key) => {
            announce(texts.keys.created(key.name))
            setOpen({ dialog: 'secret', key })
            void answer.reload()
          }}
        />
      )}
      {open?.dialog === 'secret' && (
        <SecretDialog
          title={texts.keys.secretTitle(open.key.name)}
          label={texts.keys.secret}
          secret={open.key.key}
          onClose={close}
        >
          {open.key.expiresDay !== undefined && <p class="hint">{texts.keys.expiresOn(open.key.expiresDay)}</p>}
          <CodeDrawer title={texts.keys.tryIt} call={exampleCall(status.value?.example_model)} secret={open.key.key} />
        </SecretDialog>
      )}
      {open?.dialog === 'rename' && (
        <FormDialog
          title={texts.keys.renameTitle(open.key.name)}
          button={texts.keys.save}
          onClose={close}
          onSend={async (field) => {
            const name = field('name')
            await perform('keys-rename', { key: open.key.id, name })
            announce(texts.keys.renamed(name))
            closeChanged()
          }}
        >
          <Field label={texts.keys.name} name="name" defaultValue={open.key.name} maxLength={100} required />
        </FormDialog>
      )}
      {open?.dialog === 'limits' && <KeyLimits limited={open.key} onClose={close} />}
      {open?.dialog === 'revoke' && (
        <FormDialog
          title={texts.keys.revokeTitle(open.key.name)}
          text={texts.keys.revokeText(lastUse(open.key))}
          button={texts.keys.revoke}
          isDangerous
          onClose={close}
          onSend={async () => {
            await perform('keys-revoke', { key: open.key.id })
            announce(texts.keys.revokeDone(open.key.name))
            closeChanged()
          }}
        />
      )}
    </Page>
  )
}

function lastUse({ lastUsedMs }: OwnKey): string {
  return lastUsedMs === null ? texts.shared.never : exactTime(lastUsedMs)
}
