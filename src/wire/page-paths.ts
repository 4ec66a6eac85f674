/**
 * Addresses of the pages, `/*` standing for an id. The server answers each with its HTML, and `ui/pages/page-table.ts` has
 * a row for each.
 */
export const pagePaths = ['/dashboard/keys'] as const

export type PagePath = (typeof pagePaths)[number]
