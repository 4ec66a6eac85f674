/**
 * Loads a page's code. After an update of the server the old names are gone: then the document is loaded anew, once. Rejects
 * with `LostPage` where `isServed` says that the server does not answer.
 */
const reloadedKey = 'inferd-reloaded'

export async function loadPage<Module>(load: () => Promise<Module>, isServed: () => Promise<boolean>): Promise<Module> {
  try {
    const loaded = await load()
    sessionStorage.removeItem(reloadedKey)
    return loaded
  } catch (error) {
    if (!(await isServed())) throw new LostPage()
    if (sessionStorage.getItem(reloadedKey) !== null) throw error
    sessionStorage.setItem(reloadedKey, 'yes')
    location.reload()
    return new Promise(() => undefined)
  }
}

export class LostPage extends Error {}
