/** Keys: what an account has, made with its secret shown once, renamed and revoked. */
import { useState } from 'preact/hooks'
import { useResult } from '../../api/own-operation.ts'
import { Chips } from '../../parts/chips.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager, pageQuery, shownRows } from '../../parts/pager.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import { CreateKeyDialog, type DatedKey } from './create-key-dialog.tsx'
import { KeyTable, type OwnKey } from './key-table.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { RevokeDialog } from './revoke-dialog.tsx'
import { SecretDialog } from './secret-dialog.tsx'

type Open =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'secret'; readonly key: DatedKey }
  | { readonly dialog: 'rename' | 'revoke'; readonly key: OwnKey }

export default function Keys() {
  const state = place.value.query.get('state') === 'ended' ? 'ended' : 'usable'
  const answer = useResult('keys-list', { state, ...pageQuery() })
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
  return (
    <Page title={texts.keys.title} intro={texts.keys.intro} action={createButton}>
      <div class="toolbar">
        <Chips
          label={texts.keys.stateLabel}
          value={state}
          choices={texts.keys.states}
          onChange={(chosen) => setQuery({ state: chosen === 'ended' ? chosen : undefined, before: undefined })}
        />
      </div>
      <Loaded answer={answer}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty text={state === 'ended' ? texts.keys.noneEnded : texts.keys.empty}>
              {state === 'ended' ? null : createButton}
            </Empty>
          ) : (
            <>
              <KeyTable
                keys={shownRows(rows)}
                isEnded={state === 'ended'}
                onRename={(key) => setOpen({ dialog: 'rename', key })}
                onRevoke={(key) => setOpen({ dialog: 'revoke', key })}
              />
              <Pager rows={rows} idOf={({ id }) => id} />
            </>
          )
        }
      </Loaded>
      {open?.dialog === 'create' && (
        <CreateKeyDialog
          onClose={close}
          onCreated={(key) => {
            setOpen({ dialog: 'secret', key })
            void answer.reload()
          }}
        />
      )}
      {open?.dialog === 'secret' && <SecretDialog created={open.key} onClose={close} />}
      {open?.dialog === 'revoke' && <RevokeDialog target={open.key} onClose={close} onRevoked={closeChanged} />}
      {open?.dialog === 'rename' && <RenameDialog target={open.key} onClose={close} onRenamed={closeChanged} />}
    </Page>
  )
}
