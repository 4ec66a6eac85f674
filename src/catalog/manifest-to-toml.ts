import type { ModelManifest, Pricing } from '../core/model.ts'
import { nanoToUsd } from '../core/money.ts'

type Fields = Readonly<Record<string, string | number | boolean | undefined>>

/** A manifest as the TOML that `parseManifest` reads back to the same manifest. */
export function manifestToToml(manifest: ModelManifest): string {
  const { id, type, engine, license, contextLength, dimensions, aliases, files, pricing, capabilities, defaults } =
    manifest
  const head = assignments({ id, type, engine, license, context_length: contextLength, dimensions })
  const aliasRows = aliases.map((alias) => `  ${inlineTable({ id: alias.id, reasoning: alias.reasoning })},\n`).join('')
  return [
    head + (aliases.length === 0 ? '' : `aliases = [\n${aliasRows}]\n`),
    ...files.map(({ role, url, path, sha256, sizeBytes }) =>
      table('[[files]]', { role, url, path, sha256, bytes: sizeBytes }),
    ),
    pricing === undefined ? '' : table('[pricing]', pricingFields(pricing)),
    table('[capabilities]', capabilities),
    table('[defaults]', {
      temperature: defaults.temperature,
      top_p: defaults.topP,
      top_k: defaults.topK,
      min_p: defaults.minP,
      reasoning: defaults.reasoning,
      max_tokens: defaults.maxTokens,
      repetition_detection: defaults.repetitionDetection,
    }),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

function pricingFields({ inputNanoUsd, cachedInputNanoUsd, outputNanoUsd, priceNanoUsd, unit }: Pricing): Fields {
  const usd = (nano: number | undefined) => (nano === undefined ? undefined : nanoToUsd(nano))
  return {
    input: usd(inputNanoUsd),
    cached_input: usd(cachedInputNanoUsd),
    output: usd(outputNanoUsd),
    price: usd(priceNanoUsd),
    unit,
  }
}

function table(header: string, fields: Fields): string {
  const lines = assignments(fields)
  return lines === '' ? '' : `${header}\n${lines}`
}

function assignments(fields: Fields): string {
  return pairs(fields)
    .map((pair) => `${pair}\n`)
    .join('')
}

function inlineTable(fields: Fields): string {
  return `{ ${pairs(fields).join(', ')} }`
}

/** JSON's strings, numbers and booleans are TOML's too, once the one control character JSON leaves alone is escaped. */
function pairs(fields: Fields): string[] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key} = ${JSON.stringify(value).replaceAll('\x7f', '\\u007f')}`)
}
