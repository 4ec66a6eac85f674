/** Report of `inferd import`. */
import type { ModelType } from '../core/model.ts'
import { engineProblem } from '../engines/engine-table.ts'
import type { ImportedModel } from '../store/import/import-model.ts'

export interface AliasTaken {
  readonly alias: string
  /** Id of the model that had the alias before. */
  readonly from: string
}

const priceKeys = {
  tokens: 'input = 0.10\n             output = 0.40\n             unit = "1M_tokens"',
  texts: 'price = 0.01\n             unit = "1M_tokens"',
  characters: 'price = 1.00\n             unit = "1M_characters"',
  minutes: 'price = 0.002\n             unit = "minute"',
  images: 'price = 0.02\n             unit = "image"',
} as const

const howToPrice: Readonly<Record<ModelType, string>> = {
  chat: unpriced(priceKeys.tokens),
  vision: unpriced(priceKeys.tokens),
  embedding: unpriced(priceKeys.texts),
  rerank: unpriced(priceKeys.texts),
  tts: unpriced(priceKeys.characters),
  stt: unpriced(priceKeys.minutes),
  image: unpriced(priceKeys.images),
  moderation: unpriced(priceKeys.texts),
}

function unpriced(keys: string): string {
  return `none: only unmetered accounts may use it. Add to the manifest, in USD (0 is free for all):
             [pricing]
             ${keys}`
}

export function importedToJson(id: string, { found, path, manifestPath, placement }: ImportedModel): object {
  return { id, path, manifest: manifestPath, placement, ...found.facts, notes: found.notes }
}

export function printedManifest({ found, toml }: ImportedModel): string {
  return [`# ${found.description}`, ...found.notes.map((note) => `# Note: ${note}`), toml].join('\n')
}

const placements = {
  'in-place': 'used where it lies',
  linked: 'hard-linked: do not edit the original',
  copied: 'copied',
} as const

export function importReport(
  id: string,
  { found, manifest, toml, path, manifestPath, placement = 'copied' }: ImportedModel,
  { aliasesTaken, isPriced }: { readonly aliasesTaken: readonly AliasTaken[]; readonly isPriced: boolean },
): string {
  const problem = engineProblem(manifest.engine)
  const context = manifest.contextLength === undefined ? '' : `, context ${manifest.contextLength}`
  const ask = `Ask for "model": "${id}" now; a running server knows it already, and loads it again if it had it loaded before.`
  return [
    `${id} is ${problem === undefined ? 'ready' : 'imported'}: ${found.description}${context}.`,
    `  File       ${path} (${placements[placement]})`,
    `  Manifest   ${manifestPath} (edit it for prices, aliases and defaults)`,
    ...(isPriced ? [] : [`  Price      ${howToPrice[manifest.type]}`]),
    ...aliasesTaken.map(({ alias, from }) => `  Alias      ${alias} now means this model, no longer ${from}`),
    ...found.notes.map((note) => `  Note       ${note}`),
    '',
    ...toml
      .trimEnd()
      .split('\n')
      .map((line) => `    ${line}`.trimEnd()),
    '',
    problem === undefined ? ask : `It cannot be served yet: ${problem}.`,
    '',
  ].join('\n')
}
