/** Table of all pages. A page is one component in its own file, loaded when it is first shown. */
import type { ComponentType } from 'preact'
import type { PagePath } from '../../src/wire/page-paths.ts'
import type { IconName } from '../icon-names.ts'
import { texts } from '../texts/texts.ts'

export interface PageProps {
  /** Text matched by the path's star. */
  readonly id: string
}

interface PageRow {
  readonly title: string
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>
  /** Group in the rail. Pages without a group are reached by links alone. */
  readonly group?: Group
  readonly icon?: IconName
  /** True for pages that need no sign-in. */
  readonly isForGuests?: boolean
}

export type Group = 'play' | 'account' | 'operator'

/** Pages in the order of the rail. */
export const pages: Readonly<Record<PagePath, PageRow>> = {
  '/dashboard/play/chat': {
    ...{ title: texts.chat.title, group: 'play', icon: 'message-square' },
    load: () => import('./chat/chat.tsx'),
  },
  '/dashboard/play/vectors': {
    ...{ title: texts.vectors.title, group: 'play', icon: 'scatter-chart' },
    load: () => import('./vectors/vectors.tsx'),
  },
  '/dashboard/play/speak': {
    ...{ title: texts.speak.title, group: 'play', icon: 'volume-2' },
    load: () => import('./speak/speak.tsx'),
  },
  '/dashboard/play/transcribe': {
    ...{ title: texts.transcribe.title, group: 'play', icon: 'mic' },
    load: () => import('./transcribe/transcribe.tsx'),
  },
  '/dashboard': { title: texts.home.title, group: 'account', icon: 'house', load: () => import('./home/home.tsx') },
  '/dashboard/keys': { title: texts.keys.title, group: 'account', icon: 'key', load: () => import('./keys/keys.tsx') },
  '/dashboard/billing': {
    ...{ title: texts.billing.title, group: 'account', icon: 'credit-card' },
    load: () => import('./billing/billing.tsx'),
  },
  '/dashboard/usage': {
    ...{ title: texts.ownUsage.title, group: 'account', icon: 'chart-column' },
    load: () => import('./own-usage/own-usage.tsx'),
  },
  '/dashboard/models': {
    ...{ title: texts.ownModels.title, group: 'account', icon: 'boxes' },
    load: () => import('./own-models/own-models.tsx'),
  },
  '/dashboard/account': {
    ...{ title: texts.ownAccount.title, group: 'account', icon: 'user' },
    load: () => import('./own-account/own-account.tsx'),
  },
  '/dashboard/sign-in': { title: texts.signIn.title, isForGuests: true, load: () => import('./sign-in/sign-in.tsx') },
  '/dashboard/sign-up': { title: texts.signUp.title, isForGuests: true, load: () => import('./sign-up/sign-up.tsx') },
  '/admin': {
    ...{ title: texts.overview.title, group: 'operator', icon: 'gauge' },
    load: () => import('./overview/overview.tsx'),
  },
  '/admin/models': {
    ...{ title: texts.models.title, group: 'operator', icon: 'boxes' },
    load: () => import('./models/models.tsx'),
  },
  '/admin/requests': {
    ...{ title: texts.requests.title, group: 'operator', icon: 'activity' },
    load: () => import('./requests/requests.tsx'),
  },
  '/admin/models/*': { title: texts.model.title, load: () => import('./models/model.tsx') },
  '/admin/setup': { title: texts.setup.title, isForGuests: true, load: () => import('./setup/setup.tsx') },
  '/sign-in': { title: texts.signIn.linkTitle, isForGuests: true, load: () => import('./sign-in/by-link.tsx') },
  '/admin/accounts': {
    ...{ title: texts.accounts.title, group: 'operator', icon: 'users' },
    load: () => import('./accounts/accounts.tsx'),
  },
  '/admin/accounts/*': { title: texts.account.title, load: () => import('./account/account.tsx') },
  '/admin/money': {
    ...{ title: texts.money.title, group: 'operator', icon: 'credit-card' },
    load: () => import('./money/money.tsx'),
  },
  '/admin/usage': {
    ...{ title: texts.usage.title, group: 'operator', icon: 'chart-column' },
    load: () => import('./admin-usage/admin-usage.tsx'),
  },
  '/admin/mail': {
    ...{ title: texts.mail.title, group: 'operator', icon: 'mail' },
    load: () => import('./mail/mail.tsx'),
  },
  '/admin/system': {
    ...{ title: texts.system.title, group: 'operator', icon: 'settings' },
    load: () => import('./system/system.tsx'),
  },
}

/** Paths of the pages in the order of the table. */
export const knownPaths = Object.keys(pages) as PagePath[]
