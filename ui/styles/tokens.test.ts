/** The look as rules: contrast, scale, rhythm and motion of the tokens, and that styles take them alone. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'

const folder = import.meta.dir
const sheets = [...new Glob('*.css').scanSync(folder)].map((name) => ({
  name,
  text: readFileSync(join(folder, name), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, ''),
}))
const tokens = sheets.find(({ name }) => name === 'tokens.css')?.text ?? ''
const others = sheets.filter(({ name }) => name !== 'tokens.css')

/** Colours by token: in light, in dark */
const colours = new Map(
  [...tokens.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name = '', light = '', dark = '']) => [
    name,
    [light, dark] as const,
  ]),
)
const themes = [0, 1] as const

function colourOf(name: string, theme: 0 | 1): string {
  const colour = colours.get(name)
  if (colour === undefined) throw new Error(`no colour is called ${name}`)
  return colour[theme]
}

/** Returns the relative luminance of WCAG. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

const surfaces = ['bg', 'surface', 'tint', 'raised']
const series = [...colours.keys()].filter((name) => name.startsWith('series-'))
const each = (fronts: readonly string[], backs: readonly string[]) =>
  fronts.flatMap((front) => backs.map((back) => [front, back] as const))

/** Pairs of colours by the least contrast between them */
const pairs = [
  { least: 4.5, of: each(['text', 'muted', 'accent', 'ok', 'warn', 'bad'], surfaces) },
  { least: 4.5, of: [...each(['text', 'accent'], ['accent-tint']), ['on-accent', 'accent'], ['on-accent', 'bad']] },
  { least: 4.5, of: each(['code-keyword', 'code-text', 'code-value'], surfaces) },
  { least: 3, of: each(['control'], ['bg', 'surface', 'raised']) },
  { least: 3, of: [...each(series, ['surface']), ...each(['on-series'], series)] },
] as const

test('colours that meet have the contrast of AA in both themes', () => {
  const poor = pairs.flatMap(({ least, of }) =>
    of.flatMap(([front = '', back = '']) =>
      themes
        .map((theme) => [theme, contrast(colourOf(front, theme), colourOf(back, theme))] as const)
        .filter(([, found]) => found < least)
        .map(([theme, found]) => `${front} on ${back}, ${theme === 0 ? 'light' : 'dark'}: ${found.toFixed(2)}`),
    ),
  )
  expect(poor).toEqual([])
})

test('surfaces rise in the dark', () => {
  const heights = ['bg', 'surface', 'raised', 'tint'].map((name) => luminance(colourOf(name, 1)))
  expect(heights).toEqual(heights.toSorted((a, b) => a - b))
})

test('there are five sizes of text, and styles take no other', () => {
  expect(tokens.match(/--size-\w+: [\d.]+rem/g)?.filter((size) => !size.includes('control: 1rem'))).toHaveLength(5)
  const sizes = others.flatMap(({ name, text }) =>
    [...text.matchAll(/font-size: ([^;]+);/g)].map(([, size = '']) => `${name}: ${size}`),
  )
  expect(sizes.filter((size) => !/: (var\(--size-\w+\)|0\.9em|inherit)$/.test(size))).toEqual([])
})

test('distances are steps of eight, or of four inside of parts', () => {
  const steps = [...tokens.matchAll(/--space-\d+: (\d+)px/g)].map(([, pixels]) => Number(pixels))
  expect(steps.filter((pixels) => pixels % 4 !== 0)).toEqual([])
  const heights = [...tokens.matchAll(/--(?:row|line|target|top|page|radius): (\d+)px/g)].map(([, pixels]) =>
    Number(pixels),
  )
  expect(heights.filter((pixels) => pixels % 8 !== 0 && pixels !== 44)).toEqual([])
})

test('what moves takes the one duration, below 150 ms', () => {
  expect(Number(/--motion: (\d+)ms/.exec(tokens)?.[1])).toBeLessThan(150)
  const moves = sheets.flatMap(({ text }) => text.match(/\b(?:transition|animation):[^;]*;/g) ?? [])
  expect(moves.length).toBeGreaterThan(2)
  expect(moves.filter((rule) => !/var\(--motion\)|: none/.test(rule))).toEqual([])
})

test('styles name colours by tokens that exist', () => {
  const raw = others.flatMap(({ name, text }) =>
    (text.match(/#[0-9a-f]{3,8}\b(?=[^{]*;)|\brgba?\([^)]*\)/gi) ?? []).map((colour) => `${name}: ${colour}`),
  )
  expect(raw).toEqual([])
  const scripts = [...new Glob('../**/*.{ts,tsx}').scanSync(folder)].map((path) =>
    readFileSync(join(folder, path), 'utf8'),
  )
  const declared = new Set(
    [...sheets.map(({ text }) => text), ...scripts].flatMap((text) => text.match(/--[\w-]+(?='?:)/g) ?? []),
  )
  const used = others.flatMap(({ name, text }) =>
    [...text.matchAll(/var\((--[\w-]+)/g)].map(([, token = '']) => ({ name, token })),
  )
  const unknown = used.filter(({ token }) => !declared.has(token) && !/^--(u|uplot)/.test(token))
  expect(unknown.map(({ name, token }) => `${name}: ${token}`)).toEqual([])
})

test('a window as wide as a limit is on one side of it', () => {
  // The bundler writes `width < 640px` as a maximum just below 640 px, which browsers round up to 640 px.
  const upper = sheets.flatMap(({ name, text }) =>
    (text.match(/@media[^{]*\b(?:width|height) <(?!=)[^{]*/g) ?? []).map((rule) => `${name}: ${rule.trim()}`),
  )
  expect(upper).toEqual([])
})
