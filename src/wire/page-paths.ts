/**
 * Paths of the pages. `/*` stands for an id. The server answers each with its HTML, and `ui/pages/page-table.ts` has
 * a row for each.
 */
export const pagePaths = [
  '/sign-in',
  '/dashboard',
  '/dashboard/play/vectors',
  '/dashboard/play/speak',
  '/dashboard/play/transcribe',
  '/dashboard/keys',
  '/dashboard/billing',
  '/dashboard/usage',
  '/dashboard/models',
  '/dashboard/account',
  '/dashboard/play/chat',
  '/dashboard/sign-in',
  '/dashboard/sign-up',
  '/admin/setup',
  '/admin/accounts',
  '/admin/accounts/*',
  '/admin/money',
  '/admin/usage',
  '/admin/mail',
  '/admin/system',
  '/admin',
  '/admin/models',
  '/admin/models/*',
  '/admin/requests',
] as const

export type PagePath = (typeof pagePaths)[number]
