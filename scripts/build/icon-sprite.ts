import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { iconNames } from '../../ui/icon-names.ts'

/** Returns the icons as one SVG file of symbols, whose names are their ids. */
export function iconSprite(nodeModules: string): string {
  const symbols = iconNames.map((name) => {
    const svg = readFileSync(join(nodeModules, 'lucide-static', 'icons', `${name}.svg`), 'utf8')
    const [, shapes] = /<svg[^>]*>([\s\S]*)<\/svg>/.exec(svg) ?? []
    if (shapes === undefined) throw new Error(`the icon ${name} is no SVG`)
    return `<symbol id="${name}" viewBox="0 0 24 24">${shapes.trim().replaceAll(/\n\s*/g, '')}</symbol>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg">\n${symbols.join('\n')}\n</svg>\n`
}
