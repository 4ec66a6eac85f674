/** One account: its money, the operator's actions, and its keys, ledger, usage, sessions and audit log. */
import { useState } from 'preact/hooks'
import { useResult } from '../../api/operation.ts'
import { mayPerform } from '../../api/session.ts'
import { Figures } from '../../parts/figures.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Money } from '../../parts/money.tsx'
import { AccountBadges } from '../../parts/operator/account-badges.tsx'
import { ownCommand } from '../../parts/own-command.ts'
import { Page } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Time } from '../../parts/time.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/operator-texts.ts'
import type { PageProps } from '../page-table.ts'
import { AccountActions } from './account-actions.tsx'
import { nameOf, type Account as Shown } from './account-name.ts'
import { type AccountTab, accountTabs, tabNeeds } from './account-tabs.tsx'
import { TeamMembers } from './team-members.tsx'

export default function Account({ id }: PageProps) {
  const answer = useResult('accounts-show', { account: id })
  // Counts changes by dialogs, after which the tabs below reload.
  const [changes, setChanges] = useState(0)
  const words = texts.account
  const chosen = place.value.query.get('tab')
  const shown = answer.data?.account
  const names = (Object.keys(accountTabs) as AccountTab[]).filter(
    (name) => mayPerform(tabNeeds[name]) && (name !== 'sessions' || shown?.kind === 'person'),
  )
  const choices = Object.fromEntries(names.map((name) => [name, words.tabs[name]])) as typeof words.tabs
  const tab = names.find((name) => name === chosen) ?? 'keys'
  const Tab = accountTabs[tab]
  const onChange = () => {
    setChanges(changes + 1)
    void answer.reload()
  }
  return (
    <Page title={shown === undefined ? words.title : nameOf(shown)} intro={<a href="/admin/accounts">{words.all}</a>}>
      <Loaded answer={answer}>
        {({ account, lastSignInMs }) => (
          <div class="stack">
            <AccountHead account={account} lastSignInMs={lastSignInMs} onChange={onChange} />
            <Tabs
              label={words.tabsLabel}
              value={tab}
              choices={choices}
              onChange={(next) => setQuery({ tab: next === 'keys' ? undefined : next, before: undefined })}
            >
              <Tab key={`${tab} ${changes}`} account={account} onChange={onChange} />
            </Tabs>
          </div>
        )}
      </Loaded>
    </Page>
  )
}

interface AccountHeadProps {
  readonly account: Shown
  readonly lastSignInMs: number | null
  readonly onChange: () => void
}

function AccountHead({ account, lastSignInMs, onChange }: AccountHeadProps) {
  const words = texts.account
  return (
    <section class="card stack account-head">
      <div class="row">
        <span class="big-figure">
          <Money usd={account.balanceUsd} />
        </span>
        {account.heldUsd !== '0' && (
          <span class="muted">
            <Money usd={account.heldUsd} /> {words.held}
          </span>
        )}
        <AccountBadges account={account} />
      </div>
      <Figures
        items={[
          ...(account.name === '' || account.email === null ? [] : [[words.name, account.name] as const]),
          [words.id, <code key="id">{account.id}</code>],
          [words.since, <Time key="since" at={account.createdMs} />],
          ...(account.email === null ? [] : [[words.confirmed, confirmation(account)] as const]),
          [
            words.lastSignIn,
            lastSignInMs === null ? words.neverSignedIn : <Time key="lastSignIn" at={lastSignInMs} />,
          ] as const,
        ]}
      />
      {account.erasedMs !== null ? (
        <p class="muted">{words.erasedNote}</p>
      ) : account.email === null && account.kind === 'person' ? (
        <p class="muted">
          {words.ownAccount} <code>{ownCommand('admin link')}</code>
        </p>
      ) : (
        <AccountActions account={account} onChange={onChange} />
      )}
      {account.kind === 'team' && <TeamMembers team={account.id} />}
    </section>
  )
}

function confirmation({ confirmedMs }: Shown) {
  return confirmedMs === null ? texts.account.notConfirmed : <Time at={confirmedMs} />
}
