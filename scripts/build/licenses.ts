import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What is compiled in or shipped as a library and is no npm package. */
const nativeParts = [
  'Bun (MIT; it links JavaScriptCore, LGPL-2.1, and other libraries: https://bun.com/docs/project/licensing)',
  'llama.cpp with ggml (MIT, Copyright (c) 2023-2026 The ggml authors)',
  'in llama.cpp: nlohmann/json (MIT, Copyright (c) 2013-2025 Niels Lohmann)',
  'in llama.cpp: cpp-httplib (MIT, Copyright (c) Yuji Hirose)',
  'in llama.cpp: stb_image (public domain or MIT, Sean Barrett)',
  'in llama.cpp: miniaudio (public domain or MIT-0, David Reid)',
  'in llama.cpp: subprocess.h (public domain, https://github.com/sheredom/subprocess.h)',
  'in llama.cpp: sha256 (public domain, Igor Pavlov) with rotate-bits (MIT, Copyright (c) 2021 William Casarin)',
  'node-addon-api (MIT, Copyright (c) 2017 Node.js API collaborators)',
]

/**
 * One text with the name, version and licence of everything the executable carries, and the licence texts. `entries`
 * are the modules whose imports, direct and indirect, become part of it.
 */
export async function collectLicenses(nodeModules: string, entries: readonly string[]): Promise<string> {
  const packages = await importedPackages(entries)
  const parts = packages.map((name) => describePackage(join(nodeModules, name)))
  return [
    'inferd contains the following works. Each keeps its own licence.',
    ...nativeParts,
    ...parts.map(({ title }) => title),
    ...parts.map(({ title, text }) => `${'-'.repeat(80)}\n${title}\n\n${text}`),
  ].join('\n')
}

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

function describePackage(folder: string): { title: string; text: string } {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  const path = join(folder, file ?? '')
  const text = file !== undefined && existsSync(path) ? readFileSync(path, 'utf8').trim() : `Licence: ${license}`
  return { title: `${name} ${version} (${license})`, text }
}
