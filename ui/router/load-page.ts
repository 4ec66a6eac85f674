/** Loads a page's code. After an update of the server the old names are gone: then the document is loaded anew, once. */
const reloadedKey = 'inferd-reloaded'

export async function loadPage<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    const loaded = await load()
    sessionStorage.removeItem(reloadedKey)
    return loaded
  } catch (error) {
    if (sessionStorage.getItem(reloadedKey) !== null) throw error
    sessionStorage.setItem(reloadedKey, 'yes')
    location.reload()
    return new Promise(() => undefined)
  }
}
