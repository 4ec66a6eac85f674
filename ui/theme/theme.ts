/** Light or dark: the system's unless one was chosen. Stylesheets alone know what it means. */
import { signal } from '@preact/signals'

const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const storageKey = 'inferd-theme'

export const theme = signal<Theme>(stored())

function stored(): Theme {
  const value = globalThis.localStorage?.getItem(storageKey)
  return themes.find((known) => known === value) ?? 'system'
}

export function applyTheme(chosen: Theme): void {
  theme.value = chosen
  colourBars(chosen)
  const root = document.documentElement
  if (chosen === 'system') {
    localStorage.removeItem(storageKey)
    delete root.dataset.theme
  } else {
    localStorage.setItem(storageKey, chosen)
    root.dataset.theme = chosen
  }
}

const schemes = ['light', 'dark'] as const

/** Lets the browser's own bars follow the theme. The document names their colour for light, then for dark. */
function colourBars(chosen: Theme): void {
  for (const [index, meta] of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]').entries()) {
    const scheme = schemes[index]
    meta.media = chosen === 'system' ? `(prefers-color-scheme: ${scheme})` : scheme === chosen ? 'all' : 'not all'
  }
}
