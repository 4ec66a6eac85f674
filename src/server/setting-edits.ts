/** Edits of the settings file from names and texts as people type them. Pure. */
import type { TomlChange } from '../config/edit-toml.ts'
import { allowedText, type ConfigRow, readValue } from '../config/kinds.ts'
import { priceFields } from '../config/prices.ts'
import { isSettingName, settings } from '../config/settings.ts'
import type { PriceOverride } from '../core/model.ts'
import { decimalToNano, nanoToUsd } from '../core/money.ts'
import { asWritten, type SettingValue, tomlKey } from '../core/setting.ts'
import { OperationError } from '../operations/problem.ts'
import type { PriceTexts } from '../operations/running-server.ts'

/**
 * Returns the edit that sets a setting to a text as after its flag, or removes it. Throws OperationError if there is no
 * such setting, if pages do not change it, or if it does not allow the text.
 */
export function settingEdit(name: string, text: string | undefined, path: string): TomlChange {
  if (!isSettingName(name)) throw new OperationError({ code: 'not_found', what: 'setting', name })
  const row: ConfigRow = settings[name]
  if (row.isByHand === true) throw new OperationError({ code: 'setting_by_hand', name, path })
  return { path: [tomlKey(name)], value: text === undefined ? undefined : writtenValue(name, row, text) }
}

function writtenValue(name: string, row: ConfigRow, text: string): SettingValue {
  try {
    return asWritten(row, readValue(row, text, name))
  } catch {
    throw new OperationError({ code: 'invalid_input', field: name, rule: `must be ${allowedText(row)}` })
  }
}

const priceNames = Object.keys(priceFields) as (keyof typeof priceFields)[] // Object.keys forgets the key type

/** Returns the edits that give a model these prices and no others. Throws OperationError if a text is no price. */
export function priceEdits(model: string, texts: PriceTexts): TomlChange[] {
  const edits = priceNames.map((name) => {
    const nanoUsd = readPrice(name, texts[name])
    return { path: ['prices', model, name], value: nanoUsd === undefined ? undefined : nanoToUsd(nanoUsd) }
  })
  const isEmpty = edits.every(({ value }) => value === undefined)
  return isEmpty ? [{ path: ['prices', model], value: undefined }] : edits
}

/** Returns the prices of the texts. Throws OperationError if one is no price. */
export function priceOverride(texts: PriceTexts): PriceOverride {
  return Object.fromEntries(
    priceNames.flatMap((name) => {
      const nanoUsd = readPrice(name, texts[name])
      return nanoUsd === undefined ? [] : [[priceFields[name], nanoUsd]]
    }),
  )
}

/** Returns a price in nano-USD. Undefined for an empty text. */
function readPrice(field: string, text = ''): number | undefined {
  if (text.trim() === '') return undefined
  const nanoUsd = decimalToNano(text.trim())
  if (nanoUsd !== undefined && nanoUsd >= 0) return nanoUsd
  throw new OperationError({ code: 'invalid_input', field, rule: 'must be a price in USD such as 0.25, 0 or more' })
}
