/** Imports and features that the pages may use: see docs/pages.md. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'

const root = join(import.meta.dir, '..')
const transpiler = new Bun.Transpiler({ loader: 'tsx' })

/** Files that run in the browser, with their imports of code and of types */
const sources = [...new Glob('ui/**/*.{ts,tsx}').scanSync(root)]
  .filter((path) => !/\.test\.|\.d\.ts$|^ui\/(testing|flows)\//.test(path))
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    // The transpiler adds the imports that JSX would need if it built the file.
    const loaded = transpiler.scanImports(text).flatMap(({ path: found }) => (/^react\b/.test(found) ? [] : [found]))
    const named = [...text.matchAll(/from '([^']+)'/g)].map(([, found = '']) => found)
    return { path, text, loaded, named }
  })

const place = (path: string, specifier: string) => relative(root, join(root, dirname(path), specifier))

test('the pages load nothing of the server, and know types of wire/ and operations/ alone', () => {
  const wrong = sources.flatMap(({ path, loaded, named }) => [
    ...loaded.filter((found) => found.startsWith('.') && !place(path, found).startsWith('ui/')),
    ...named.filter(
      (found) => found.startsWith('.') && !/^(ui|src\/(wire|operations|core|library))\//.test(place(path, found)),
    ),
  ])
  expect(wrong).toEqual([])
})

/** Folder -> folders it may import from (its own always). */
const allowed: Readonly<Record<string, readonly string[]>> = {
  texts: [],
  theme: [],
  api: [],
  router: [],
  parts: ['api', 'router', 'texts'],
  pages: ['api', 'router', 'parts', 'theme', 'texts'],
  kit: ['api', 'parts', 'theme'],
  shell: ['api', 'router', 'parts', 'theme', 'texts', 'pages'],
}

test('imports between the folders of the pages point one way', () => {
  const folderOf = (path: string) => /^ui\/(\w+)\//.exec(path)?.[1]
  const wrong = sources.flatMap(({ path, named }) => {
    const from = folderOf(path)
    if (from === undefined) return []
    const targets = named.filter((found) => found.startsWith('.')).map((found) => folderOf(place(path, found)))
    return targets
      .filter((to) => to !== undefined && to !== from && allowed[from]?.includes(to) !== true)
      .map((to) => `${path} -> ${to}`)
  })
  expect(wrong).toEqual([])
})

test('the pages use the packages that are listed for them', () => {
  const packages = sources.flatMap(({ loaded }) => loaded.filter((found) => !found.startsWith('.')))
  const known =
    /^(preact(\/hooks|\/jsx-runtime|\/jsx-dev-runtime)?|@preact\/signals|uplot|marked|lowlight|idb|lean-qr(\/extras\/svg)?|highlight\.js\/.*)$/
  expect(packages.filter((name) => !known.test(name))).toEqual([])
})

test('nothing in the pages makes HTML of text, sets a style as text, or needs Bun', () => {
  const forbidden =
    /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\bBun\.|\bprocess\.(?!env\.INFERD_API_KEY)/
  expect(sources.filter(({ text }) => forbidden.test(text)).map(({ path }) => path)).toEqual([])
})
