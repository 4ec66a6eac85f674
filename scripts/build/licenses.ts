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
  const works = [...native, ...packages.map((folder) => describePackage(join(nodeModules, folder)))]
  // The same version of a package can stand inside several others.
  const parts = [...new Map(works.map((work) => [work.title, work])).values()]
  return [
    'inferd contains the following works. Each keeps its own licence.',
    ...parts.map(({ title }) => title),
    ...parts.map(({ title, text }) => `${'-'.repeat(80)}\n${title}\n\n${text}`),
  ].join('\n')
}

/** Packages whose files the build takes, and that nothing imports: llama.cpp's libraries and the icons of the pages. */
const copied = ['lucide-static', 'node-llama-cpp']

/**
 * Folders of packages, below the first node_modules: a package that stands inside another is of another version than
 * the one of that name beside it.
 */
async function importedPackages(entries: readonly string[]): Promise<string[]> {
  const { metafile } = await Bun.build({
    entrypoints: [...entries],
    target: 'bun',
    metafile: true,
  })
  const folders = Object.keys(metafile?.inputs ?? {}).flatMap((input) => {
    const [, folder] = /node_modules\/((?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(input) ?? []
    return folder === undefined ? [] : [folder]
  })
  return [...new Set(folders)].sort()
}

function describePackage(folder: string): License {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  const path = join(folder, file ?? '')
  const text = file !== undefined && existsSync(path) ? readFileSync(path, 'utf8').trim() : `Licence: ${license}`
  return { title: `${name} ${version} (${license})`, text }
}
