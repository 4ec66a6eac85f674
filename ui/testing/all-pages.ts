/** Every page with an address that shows it, for tests and pictures of all of them. */
import type { PagePath } from '../../src/wire/page-paths.ts'
import { knownPaths, pages } from '../pages/page-table.ts'
import { type PageState, pageStates } from './page-states.ts'

/** What stands in the place of a star. */
const sampleIds: Readonly<Partial<Record<PagePath, string>>> = {
  // The first account that tests and pictures make.
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
    // Pages for guests ask nothing of the server before somebody presses a button.
    states: isForGuests ? ['ready'] : (Object.keys(pageStates) as PageState[]),
  }
})
