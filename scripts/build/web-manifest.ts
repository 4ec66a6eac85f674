import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..', '..')

export interface AppIcon {
  /** Name of the file in ui/icons, without its ending */
  readonly name: string
  /** Edge in pixels */
  readonly size: number
  /** `any` keeps its own shape. The system cuts the others to a shape, so their background reaches the edges. */
  readonly purpose: 'any' | 'maskable' | 'apple'
}

/** Icons of the installed pages, drawn from ui/icon.svg by `bun run screens --icons`. */
export const appIcons: readonly AppIcon[] = [
  { name: 'app-192', size: 192, purpose: 'any' },
  { name: 'app-512', size: 512, purpose: 'any' },
  { name: 'maskable-512', size: 512, purpose: 'maskable' },
  { name: 'apple-touch-180', size: 180, purpose: 'apple' },
]

export function appIconPath({ name }: Pick<AppIcon, 'name'>): string {
  return join(root, 'ui', 'icons', `${name}.png`)
}

interface BuiltFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Returns the manifest of the pages, and its icons, whose names contain a hash of their content. */
export function webManifest(): { readonly text: string; readonly icons: readonly BuiltFile[] } {
  const built = appIcons
    .filter(({ purpose }) => purpose !== 'apple')
    .map(({ name, size, purpose }) => {
      const bytes = readFileSync(appIconPath({ name }))
      const file = { name: `${name}-${Bun.hash(bytes).toString(36)}.png`, bytes }
      return { ...file, sizes: `${size}x${size}`, purpose }
    })
  const manifest = {
    ...{ id: '/dashboard', start_url: '/dashboard', scope: '/', display: 'standalone', lang: 'en' },
    ...{ name: 'inferd', short_name: 'inferd', description: 'Chat, speech and search with the models of one box.' },
    // Colours of tokens.css in the light theme. The HTML documents name those of both themes.
    ...{ theme_color: '#ffffff', background_color: '#f6f6f9' },
    icons: built.map(({ name, sizes, purpose }) => ({ src: `/ui/${name}`, type: 'image/png', sizes, purpose })),
  }
  return { text: `${JSON.stringify(manifest, null, 2)}\n`, icons: built }
}
