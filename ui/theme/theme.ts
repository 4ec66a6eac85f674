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
  const root = document.documentElement
  if (chosen === 'system') {
    localStorage.removeItem(storageKey)
    delete root.dataset.theme
  } else {
    localStorage.setItem(storageKey, chosen)
    root.dataset.theme = chosen
  }
}
