/** Commands for bundles never load the code that contacts other machines. */
import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'

const root = join(import.meta.dir, '../..')
const transpiler = new Bun.Transpiler({ loader: 'ts' })

/** Returns these files and all files that they import, dynamic imports included. */
function loadedBy(files: readonly string[]): Set<string> {
  const found = new Set<string>()
  const waiting = [...files]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path) || !existsSync(path) || !path.endsWith('.ts')) continue
    found.add(path)
    const imports = transpiler.scanImports(readFileSync(path, 'utf8')).filter((each) => each.path.startsWith('.'))
    waiting.push(...imports.map((each) => join(dirname(path), each.path)))
  }
  return found
}

test('commands for bundles load nothing of the web client, of sources or of downloads over a network', () => {
  const commands = [...new Glob('*.ts').scanSync(import.meta.dir)].filter((name) => !name.includes('.test.'))
  const loaded = [...loadedBy(commands.map((name) => join(import.meta.dir, name)))].map((path) => relative(root, path))
  expect(loaded).toContain('store/bundle/install-bundle.ts')
  expect(
    loaded.filter((path) => /^store\/(web\/web-client|sources\/)|download\/(downloader|fetch-|file-source)/.test(path)),
  ).toEqual([])
})
