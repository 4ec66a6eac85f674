import { useState } from 'preact/hooks'
import { offlineSinceMs } from '../../api/connection.ts'
import { perform } from '../../api/operation.ts'
import { mayPerform, me } from '../../api/session.ts'
import { announce } from '../../parts/announce.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { May } from '../../parts/may.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { type AccountPartProps, nameOf } from './account-name.ts'
import { AddFundsDialog } from './add-funds-dialog.tsx'
import { switchesOf } from './switches.ts'

interface Link {
  readonly kind: 'sign-in' | 'setup'
  readonly link: string
}

/** Offers the operator's actions on an account. Each dialog names the account. */
export function AccountActions({ account, onChange }: AccountPartProps) {
  const [open, setOpen] = useState<string>()
  const [shownLink, setShownLink] = useState<Link>()
  const words = texts.account
  const who = nameOf(account)
  const close = () => setOpen(undefined)
  const switches = switchesOf(account).filter(({ needs }) => mayPerform(needs))
  const isDisabled = account.disabledMs !== null
  const isOffline = offlineSinceMs.value !== undefined
  const chosen = switches.find(({ button }) => button === open)

  return (
    <>
      <div class="row">
        {account.id !== me.value?.id && (
          <May perform="ledger-credit">
            <button type="button" class="primary" disabled={isOffline} onClick={() => setOpen('funds')}>
              <Icon name="plus" /> {words.addFunds}
            </button>
          </May>
        )}
        {account.kind === 'person' && (
          <May perform="accounts-sign-in-link">
            <button type="button" disabled={isOffline || isDisabled} onClick={() => setOpen('link')}>
              {words.signInLink}
            </button>
          </May>
        )}
        <May perform="accounts-export">
          <a class="button" download href={`/admin/api/export?${new URLSearchParams({ account: account.id })}`}>
            {words.exportData}
          </a>
        </May>
        {switches.map(({ button, isDangerous }) => (
          <button
            key={button}
            type="button"
            class={isDangerous ? 'danger' : ''}
            disabled={isOffline}
            onClick={() => setOpen(button)}
          >
            {button}
          </button>
        ))}
      </div>
      {isDisabled && account.kind === 'person' && <p class="muted">{words.noLinkWhileDisabled}</p>}
      {open === 'funds' && <AddFundsDialog account={account} onClose={close} onAdded={onChange} />}
      {open === 'link' && (
        <FormDialog
          title={words.linkAskTitle(who)}
          text={account.confirmedMs === null ? `${words.linkAskText} ${words.linkConfirms}` : words.linkAskText}
          button={words.linkMake}
          onClose={close}
          onSend={async () => {
            const { link } = await perform('accounts-sign-in-link', { account: account.id })
            setShownLink({ kind: 'sign-in', link })
            close()
          }}
        />
      )}
      {chosen !== undefined && (
        <FormDialog
          title={chosen.title}
          text={chosen.text}
          button={chosen.button}
          isDangerous={chosen.isDangerous}
          onClose={close}
          onSend={async () => {
            const link = await chosen.run()
            announce(chosen.done)
            close()
            if (link !== undefined) setShownLink({ kind: 'setup', link })
            onChange()
          }}
        />
      )}
      {shownLink !== undefined && (
        <SecretDialog
          title={shownLink.kind === 'setup' ? words.setupLinkTitle(who) : words.linkTitle(who)}
          text={shownLink.kind === 'setup' ? words.setupLinkText : words.linkText}
          label={shownLink.kind === 'setup' ? words.setupLink : words.linkLabel}
          secret={shownLink.link}
          onClose={() => setShownLink(undefined)}
        />
      )}
    </>
  )
}
