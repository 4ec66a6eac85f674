import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { License } from './native-licenses.ts'

/**
 * One text with the name, version and licence of everything the executable carries, and the licence texts: of `native`
 * and of the packages that `entries` import, directly and indirectly.
 */
export async function collectLicenses(
  nodeModules: string,
  native: readonly License[],
  entries: readonly string[],
): Promise<string> {
  const packages = [...(await importedPackages(entries)), ...copied].sort()
  const parts = [...native, ...packages.map((name) => describePackage(join(nodeModules, name)))]
  return [
    'inferd contains the following works. Each keeps its own licence.',
    ...parts.map(({ title }) => title),
    ...parts.map(({ title, text }) => `${'-'.repeat(80)}\n${title}\n\n${text}`),
  ].join('\n')
}

/** Taken from by the build, and imported by nothing: the icons of the pages. */
const copied = ['lucide-static']

async function importedPackages(entries: readonly string[]): Promise<string[]> {
  const { metafile } = await Bun.build({
    entrypoints: [...entries],
    target: 'bun',
    metafile: true,
    external: ['@node-llama-cpp/*', 'electron'],
  })
  const names = Object.keys(metafile?.inputs ?? {}).flatMap((input) => {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input) ?? []
    return name === undefined ? [] : [name]
  })
  return [...new Set(names)].sort()
}

function describePackage(folder: string): License {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  const path = join(folder, file ?? '')
  const text = file !== undefined && existsSync(path) ? readFileSync(path, 'utf8').trim() : `Licence: ${license}`
  return { title: `${name} ${version} (${license})`, text }
}
