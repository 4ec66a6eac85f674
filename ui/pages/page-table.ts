/** Table of all pages. A page is one component in its own file, loaded when it is first shown. */
import type { ComponentType } from 'preact'
import type { OperationName } from '../../src/operations/operations.ts'
import type { PagePath } from '../../src/wire/page-paths.ts'
import { mayPerform } from '../api/session.ts'
import { texts } from '../texts/texts.ts'

export interface PageProps {
  /** Text matched by the path's star. */
  readonly id: string
}

interface PageRow {
  readonly title: string
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>
  /** True for pages of the playground, for which a team may pay. */
  readonly isPlay?: boolean
  /** True for pages that need no sign-in. */
  readonly isForGuests?: boolean
  /** Operation without which the page shows nothing. Set for all pages of staff. */
  readonly needs?: OperationName
}

export const pages: Readonly<Record<PagePath, PageRow>> = {
  '/dashboard/chat': { title: texts.chat.title, isPlay: true, load: () => import('./chat/chat.tsx') },
  '/dashboard/speak': { title: texts.speak.title, isPlay: true, load: () => import('./speak/speak.tsx') },
  '/dashboard/transcribe': {
    title: texts.transcribe.title,
    isPlay: true,
    load: () => import('./transcribe/transcribe.tsx'),
  },
  '/dashboard/search': { title: texts.search.title, isPlay: true, load: () => import('./search/search.tsx') },
  '/dashboard/keys': { title: texts.keys.title, load: () => import('./keys/keys.tsx') },
  '/dashboard/models': { title: texts.ownModels.title, load: () => import('./own-models/own-models.tsx') },
  '/dashboard/usage': { title: texts.ownUsage.title, load: () => import('./own-usage/own-usage.tsx') },
  '/dashboard/billing': { title: texts.billing.title, load: () => import('./billing/billing.tsx') },
  '/dashboard/account': { title: texts.ownAccount.title, load: () => import('./own-account/own-account.tsx') },
  '/dashboard/sign-in': { title: texts.signIn.title, isForGuests: true, load: () => import('./sign-in/sign-in.tsx') },
  '/dashboard/sign-up': { title: texts.signUp.title, isForGuests: true, load: () => import('./sign-up/sign-up.tsx') },
  '/sign-in': { title: texts.signIn.linkTitle, isForGuests: true, load: () => import('./sign-in/by-link.tsx') },
  '/admin/setup': { title: texts.operatorTitles.setup, isForGuests: true, load: () => import('./setup/setup.tsx') },
  '/admin': {
    needs: 'models-status',
    title: texts.operatorTitles.overview,
    load: () => import('./overview/overview.tsx'),
  },
  '/admin/models': {
    needs: 'models-list',
    title: texts.operatorTitles.models,
    load: () => import('./models/models.tsx'),
  },
  '/admin/models/*': {
    needs: 'models-show',
    title: texts.operatorTitles.model,
    load: () => import('./models/model.tsx'),
  },
  '/admin/requests': {
    needs: 'requests-list',
    title: texts.operatorTitles.requests,
    load: () => import('./requests/requests.tsx'),
  },
  '/admin/accounts': {
    needs: 'accounts-list',
    title: texts.operatorTitles.accounts,
    load: () => import('./accounts/accounts.tsx'),
  },
  '/admin/accounts/*': {
    needs: 'accounts-show',
    title: texts.operatorTitles.account,
    load: () => import('./account/account.tsx'),
  },
  '/admin/money': { needs: 'books-sums', title: texts.operatorTitles.money, load: () => import('./money/money.tsx') },
  '/admin/usage': {
    needs: 'usage-report',
    title: texts.usage.title,
    load: () => import('./admin-usage/admin-usage.tsx'),
  },
  '/admin/mail': { needs: 'outbox-list', title: texts.operatorTitles.mail, load: () => import('./mail/mail.tsx') },
  '/admin/system': {
    needs: 'settings-list',
    title: texts.operatorTitles.system,
    load: () => import('./system/system.tsx'),
  },
}

/** Paths of the pages in the order of the table. */
export const knownPaths = Object.keys(pages) as PagePath[]

/** Returns whether the role of the account that is signed in has a use for the page. */
export function mayOpen(path: PagePath): boolean {
  const { needs } = pages[path]
  return needs === undefined || mayPerform(needs)
}
