/** System: health, settings, prices, the audit log, the server's log, backups, and receivers of events and records. */
import type { ComponentType } from 'preact'
import { later } from '../../parts/later.tsx'
import { Page } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/system-texts.ts'
import { AuditTab } from './audit-tab.tsx'
import { HealthTab } from './health-tab.tsx'
import { LogTab } from './log-tab.tsx'
import { PricesTab } from './prices-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'

const BackupTab = later(() => import('./backup-tab.tsx').then((loaded) => loaded.BackupTab))
const ReceiversTab = later(() => import('./receivers-tab.tsx').then((loaded) => loaded.ReceiversTab))

type Tab = keyof typeof texts.system.tabs

const tabs: Readonly<Record<Tab, ComponentType>> = {
  health: HealthTab,
  settings: SettingsTab,
  prices: PricesTab,
  audit: AuditTab,
  log: LogTab,
  backup: BackupTab,
  receivers: ReceiversTab,
}

export default function System() {
  const chosen = place.value.query.get('tab')
  const tab = (Object.keys(tabs) as Tab[]).find((name) => name === chosen) ?? 'health'
  const Shown = tabs[tab]
  const words = texts.system
  return (
    <Page title={words.title} intro={words.intro}>
      <Tabs
        label={words.tabsLabel}
        value={tab}
        choices={words.tabs}
        onChange={(next) =>
          setQuery({
            tab: next === 'health' ? undefined : next,
            before: undefined,
            actor: undefined,
            action: undefined,
          })
        }
      >
        <Shown key={tab} />
      </Tabs>
    </Page>
  )
}
