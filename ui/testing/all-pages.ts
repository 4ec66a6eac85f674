/** Every page with an address that shows it, for tests and pictures of all of them. */
import { type PagePath, pagePaths } from '../../src/wire/page-paths.ts'
import { type PageState, pageStates } from './page-states.ts'

/** What stands in the place of a star. */
const sampleIds: Readonly<Partial<Record<PagePath, string>>> = {}

/** Pages that ask nothing of the server before somebody presses a button, and are there for guests. */
const forGuests: readonly PagePath[] = ['/sign-in', '/dashboard/sign-in', '/dashboard/sign-up']

export interface ShownPage {
  readonly path: PagePath
  readonly address: string
  readonly isForGuests: boolean
  readonly states: readonly PageState[]
}

export const allPages: readonly ShownPage[] = pagePaths.map((path) => {
  const isForGuests = forGuests.includes(path)
  return {
    ...{ path, isForGuests, address: path.replace('*', sampleIds[path] ?? 'none') },
    states: isForGuests ? ['ready'] : (Object.keys(pageStates) as PageState[]),
  }
})
