/** The present address. Every address that a reload must lead back to is a path with a query. */
import { signal } from '@preact/signals'

interface Place {
  readonly pathname: string
  readonly query: URLSearchParams
}

export const place = signal<Place>(here())

function here(): Place {
  return { pathname: globalThis.location?.pathname ?? '/', query: new URLSearchParams(globalThis.location?.search) }
}

/** Question about what leaving the page would lose; undefined when it loses nothing. */
let unsaved: string | undefined

/** Asks before the page is left, until it is called with undefined. */
export function askBeforeLeaving(question: string | undefined): void {
  unsaved = question
}

/** Loads the document of another area, or of the server. */
let loadDocument = (url: URL): void => location.assign(url)

/** Has documents loaded by another function. */
export function loadDocumentsBy(load: (url: URL) => void): void {
  loadDocument = load
}

/** Goes to a page of ours; to one of the other area, or of the server, by loading it. */
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

/** Changes parts of the query in place, without an entry in the history. Undefined takes a part away. */
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

/** Makes links between pages of one area change the page without loading a document, and others load it by `loadDocumentsBy`. */
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
