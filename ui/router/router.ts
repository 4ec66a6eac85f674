/** The present address. Everything that a reload must restore is in its path and query. */
import { signal } from '@preact/signals'
import { forwardedPath } from './forwarded-paths.ts'

interface Place {
  readonly pathname: string
  readonly query: URLSearchParams
}

export const place = signal<Place>(here())

/** Returns the present address. One that leads to another is replaced by it. */
function here(): Place {
  const { pathname = '/', search = '', hash = '' } = globalThis.location ?? {}
  const forwarded = forwardedPath(pathname)
  if (forwarded !== pathname) history.replaceState(null, '', forwarded + search + hash)
  return { pathname: forwarded, query: new URLSearchParams(search) }
}

/** Question to ask before leaving, about unsaved content. Undefined if nothing would be lost. */
let unsaved: string | undefined

/** Asks the question before the page is left. Undefined ends that. */
export function askBeforeLeaving(question: string | undefined): void {
  unsaved = question
}

/** Loads the document of another area, or one of the server's own. */
let loadDocument = (url: URL): void => location.assign(url)

/** Sets the function that loads documents. */
export function loadDocumentsBy(load: (url: URL) => void): void {
  loadDocument = load
}

/** Opens an address: pages of this area without loading a document, others by loading theirs. */
export function go(address: string): void {
  const url = new URL(address, location.href)
  if (areaOf(url.pathname) !== areaOf(location.pathname)) {
    loadDocument(url)
    return
  }
  if (unsaved !== undefined && !confirm(unsaved)) return
  unsaved = undefined
  history.pushState(null, '', url)
  place.value = here()
  scrollTo(0, 0)
}

/** Changes parameters of the query in place, without an entry in the history. Undefined removes one. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  history.replaceState(null, '', location.pathname + queryText(new URLSearchParams(location.search), changes))
  place.value = here()
}

/** Returns the present address with a changed query, for a link. */
export function withQuery(changes: Readonly<Record<string, string | undefined>>): string {
  const { pathname, query } = place.value
  return pathname + queryText(query, changes)
}

function queryText(query: URLSearchParams, changes: Readonly<Record<string, string | undefined>>): string {
  const changed = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') changed.delete(name)
    else changed.set(name, value)
  }
  return changed.size === 0 ? '' : `?${changed}`
}

/** Handles clicks on links: pages of the same area change without loading a document, others load theirs. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || event.defaultPrevented || event.button !== 0) return
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    if (link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return
    if (link.hash !== '' && link.pathname === location.pathname) return
    event.preventDefault()
    go(link.href)
  })
  addEventListener('popstate', () => {
    if (unsaved !== undefined && !confirm(unsaved)) {
      const { pathname, query } = place.value
      history.pushState(null, '', query.size === 0 ? pathname : `${pathname}?${query}`)
      return
    }
    unsaved = undefined
    place.value = here()
  })
  addEventListener('beforeunload', (event) => {
    if (unsaved !== undefined) event.preventDefault()
  })
}

function areaOf(pathname: string): string {
  return pathname.split('/')[1] ?? ''
}
