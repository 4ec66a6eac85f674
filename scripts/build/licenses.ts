import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { License } from './native-licenses.ts'

/**
 * Returns one text with the names, versions and licences of everything in the executable: of `native`, and of the
 * packages that `entries` import, directly and indirectly.
 */
export async function collectLicenses(
  nodeModules: string,
  native: readonly License[],
  entries: readonly string[],
): Promise<string> {
  const packages = [...(await importedPackages(entries)), ...copied].sort()
  const works = [...native, ...packages.map((folder) => describePackage(join(nodeModules, folder)))]
  // Several packages may contain the same version of a package.
  const parts = [...new Map(works.map((work) => [work.title, work])).values()]
  return [
    'inferd contains the following works. Each keeps its own licence.',
    ...parts.map(({ title }) => title),
    ...parts.map(({ title, text }) => `${'-'.repeat(80)}\n${title}\n\n${text}`),
  ].join('\n')
}

/**
 * Packages that nothing imports, but whose files the build copies: llama.cpp's libraries and the icons of the pages.
 */
const copied = ['lucide-static', 'node-llama-cpp']

/**
 * Returns the folders of packages below the first node_modules. A package inside another has a different version than
 * the one of the same name beside it.
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
