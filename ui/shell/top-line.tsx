import { payer } from '../api/payer.ts'
import { me, status } from '../api/session.ts'
import type { Space } from '../pages/rail-entries.ts'
import { Icon } from '../parts/icon.tsx'
import { later } from '../parts/later.tsx'
import { Mark } from '../parts/mark.tsx'
import { Money } from '../parts/money.tsx'
import { closeOnEscape, closeWhenLeft } from '../parts/row-menu.tsx'
import { Select } from '../parts/select.tsx'
import { texts } from '../texts/texts.ts'
import { applyTheme, type Theme, theme } from '../theme/theme.ts'
import { DownloadPlace } from './download-place.tsx'
import { SignOut } from './sign-out.tsx'
import { starts } from './spaces.ts'

const PayFrom = later(() => import('./pay-from.tsx').then((loaded) => loaded.PayFrom))

interface TopLineProps {
  readonly space: Space
  readonly isPlay: boolean
  readonly hasMenu: boolean
  readonly isMenuOpen: boolean
  readonly onMenu: () => void
}

/** Shows the box, its models, who pays, the balance, and the account's own menu. */
export function TopLine({ space, isPlay, hasMenu, isMenuOpen, onMenu }: TopLineProps) {
  const own = me.value
  const hasChoice = isPlay && own !== undefined && own.teams.length > 0
  const paysOwn = !hasChoice || payer.value === undefined
  const { models_installed: installed, models_loaded: loaded = 0 } = status.value ?? {}
  return (
    <header class="top-line">
      {hasMenu && (
        <button
          type="button"
          class="menu-button quiet"
          aria-expanded={isMenuOpen}
          aria-haspopup="dialog"
          onClick={onMenu}
        >
          <Icon name="menu" /> <span class="unseen">{texts.shell.menu}</span>
        </button>
      )}
      <a class="product" href={starts[space]}>
        <Mark />
        <b>{texts.shell.product}</b> <span class="muted wide">{location.hostname}</span>
      </a>
      {installed !== undefined && (
        <span class={installed > 0 ? 'serving wide ok' : 'serving wide warn'}>
          <span aria-hidden="true">{installed > 0 ? '●' : '○'}</span>{' '}
          {installed > 0 ? texts.shell.serving(installed, loaded) : texts.shell.notServing}
        </span>
      )}
      <span class="space" />
      <DownloadPlace />
      {hasChoice && <PayFrom />}
      {own !== undefined && !own.isUnmetered && paysOwn && (
        <a class="balance" href="/dashboard/billing">
          <span class="unseen">{texts.shell.balance}</span> <Money usd={own.balanceUsd} />
        </a>
      )}
      <AccountMenu />
    </header>
  )
}

function AccountMenu() {
  return (
    <details class="account-menu" onFocusOut={closeWhenLeft} onKeyDown={closeOnEscape}>
      <summary>
        <Icon name="user" /> <span class="unseen">{texts.shell.accountMenu}</span>{' '}
        <span class="wide">{me.value?.email ?? me.value?.name ?? ''}</span>
        <Icon name="chevron-down" />
      </summary>
      <div class="menu">
        <Select<Theme>
          label={texts.shell.theme}
          value={theme.value}
          choices={texts.shell.themes}
          onChange={applyTheme}
        />
        {me.value !== undefined && <SignOut />}
      </div>
    </details>
  )
}
