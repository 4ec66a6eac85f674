/**
 * Paths of the pages. `/*` stands for an id. The server answers each with its HTML, and `ui/pages/page-table.ts` has
 * a row for each.
 */
export const pagePaths = [
  '/sign-in',
  '/dashboard/chat',
  '/dashboard/speak',
  '/dashboard/transcribe',
  '/dashboard/search',
  '/dashboard/keys',
  '/dashboard/models',
  '/dashboard/usage',
  '/dashboard/billing',
  '/dashboard/account',
  '/dashboard/sign-in',
  '/dashboard/sign-up',
  '/admin/setup',
  '/admin',
  '/admin/models',
  '/admin/models/*',
  '/admin/requests',
  '/admin/accounts',
  '/admin/accounts/*',
  '/admin/money',
  '/admin/usage',
  '/admin/mail',
  '/admin/system',
] as const

/** Paths without a page, which `ui/router/forwarded-paths.ts` leads to one: the start, and names of earlier versions. */
export const forwardedPaths = [
  '/dashboard',
  '/dashboard/play/chat',
  '/dashboard/play/speak',
  '/dashboard/play/transcribe',
  '/dashboard/play/vectors',
] as const

export type PagePath = (typeof pagePaths)[number]
export type ForwardedPath = (typeof forwardedPaths)[number]
