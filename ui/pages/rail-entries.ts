/** Entries of the rail, by space. */
import type { PagePath } from '../../src/wire/page-paths.ts'
import type { IconName } from '../icon-names.ts'
import { texts } from '../texts/texts.ts'

/** Part of the site: what an account uses, and what operators run */
export type Space = 'use' | 'operate'

export interface RailEntry {
  readonly title: string
  readonly icon: IconName
  /** Pages of the entry: the one that it opens, and others beside it as tabs. */
  readonly paths: readonly [PagePath, ...PagePath[]]
}

const { shell } = texts

/** Entries in the order of the rail. Pages without an entry are reached by links alone. */
export const railEntries: Readonly<Record<Space, readonly RailEntry[]>> = {
  use: [
    { title: texts.chat.title, icon: 'message-square', paths: ['/dashboard/chat'] },
    { title: shell.speech, icon: 'audio-lines', paths: ['/dashboard/speak', '/dashboard/transcribe'] },
    { title: texts.search.title, icon: 'search', paths: ['/dashboard/search'] },
    { title: texts.keys.title, icon: 'key', paths: ['/dashboard/keys', '/dashboard/models'] },
    { title: shell.usageAndBilling, icon: 'credit-card', paths: ['/dashboard/usage', '/dashboard/billing'] },
    { title: texts.ownAccount.title, icon: 'user', paths: ['/dashboard/account'] },
  ],
  operate: [
    { title: texts.operatorTitles.overview, icon: 'gauge', paths: ['/admin'] },
    { title: texts.operatorTitles.models, icon: 'boxes', paths: ['/admin/models'] },
    { title: texts.operatorTitles.requests, icon: 'activity', paths: ['/admin/requests'] },
    { title: texts.operatorTitles.accounts, icon: 'users', paths: ['/admin/accounts'] },
    { title: texts.operatorTitles.money, icon: 'credit-card', paths: ['/admin/money'] },
    { title: texts.usage.title, icon: 'chart-column', paths: ['/admin/usage'] },
    { title: texts.operatorTitles.mail, icon: 'mail', paths: ['/admin/mail'] },
    { title: texts.operatorTitles.system, icon: 'settings', paths: ['/admin/system'] },
  ],
}

/** Returns the entry that a page stands beside others in; undefined for a page alone. */
export function sharedEntryOf(path: PagePath): RailEntry | undefined {
  const entries = [...railEntries.use, ...railEntries.operate]
  return entries.find(({ paths }) => paths.length > 1 && paths.includes(path))
}
