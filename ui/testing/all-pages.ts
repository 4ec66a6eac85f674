/** All pages, each with an address that shows it, for tests and screenshots. */
import type { PagePath } from '../../src/wire/page-paths.ts'
import { knownPaths, pages } from '../pages/page-table.ts'
import { type PageState, pageStates } from './page-states.ts'

/** Ids for the stars in paths, by path */
const sampleIds: Readonly<Partial<Record<PagePath, string>>> = {
  // The first account that tests and screenshots create.
  '/admin/accounts/*': 'ada-1@example.org',
  '/admin/models/*': 'inferd/starter-chat',
}

export interface ShownPage {
  readonly path: PagePath
  readonly address: string
  readonly isForGuests: boolean
  readonly states: readonly PageState[]
}

export const allPages: readonly ShownPage[] = knownPaths.map((path) => {
  const isForGuests = pages[path].isForGuests === true
  return {
    ...{ path, isForGuests, address: path.replace('*', sampleIds[path] ?? 'none') },
    // Pages for guests send no requests before somebody presses a button.
    states: isForGuests ? ['ready'] : (Object.keys(pageStates) as PageState[]),
  }
})
