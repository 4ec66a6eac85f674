import { type Command, Option } from 'commander'
import { loadConfig } from '../config/config.ts'
import { priceFields } from '../config/prices.ts'
import { listSettings, settings } from '../config/settings.ts'
import { readSettings } from '../config/sources.ts'
import type { PriceOverride, SettingsOverride } from '../core/model.ts'
import { nanoToDecimal, nanoToUsd } from '../core/money.ts'
import { asWritten } from '../core/setting.ts'
import { engineKinds } from '../engines/engine-table.ts'
import { writeModelSettings } from '../engines/model-settings.ts'
import { formatTable } from './format.ts'
import { type Io, printAnswer } from './io.ts'
import { addSettingFlags, configSources, newCommand } from './options.ts'

export function configCommand(io: Io): Command {
  const command = addSettingFlags(newCommand('config', 'print the settings a server started here and now would use'))
  // For the README, which a test compares with it.
  command.addOption(new Option('--markdown').hideHelp())
  return command.action(() => {
    if (command.getOptionValue('markdown') === true) {
      io.out(settingsAsMarkdown())
      return
    }
    const sources = configSources(command, io)
    const { resolved } = readSettings(sources)
    const { prices, models } = loadConfig(sources)
    const rows = listSettings().map(({ name, tomlKey: key, isSecret }) => {
      const { value, source } = resolved[name]
      const written = value === undefined ? undefined : asWritten(settings[name], value)
      return { key, value: isSecret && value !== undefined ? '(set)' : written, source }
    })
    const answer = {
      ...Object.fromEntries(rows.map(({ key, value, source }) => [key, { value: value ?? null, source }])),
      prices: Object.fromEntries([...prices].map(([id, override]) => [id, mapPrices(override, nanoToUsd)])),
      models: Object.fromEntries([...models].map(([id, override]) => [id, mapEngines(override)])),
    }
    const shown = [
      ...rows.map(({ value, ...row }) => ({ ...row, value: String(value ?? '') || '-' })),
      ...[...prices].map(([id, override]) => inFile(`prices."${id}"`, mapPrices(override, nanoToDecimal))),
      ...[...models].flatMap(([id, override]) =>
        Object.entries(mapEngines(override)).map(([engine, values]) => inFile(`models."${id}".${engine}`, values)),
      ),
    ]
    printAnswer(command, io, answer, () =>
      formatTable(shown, { SETTING: ({ key }) => key, VALUE: ({ value }) => value, FROM: ({ source }) => source }),
    )
  })
}

/** A table of the file. */
function inFile(key: string, values: object) {
  const pairs = Object.entries(values).map(([name, value]) => `${name}=${value}`)
  return { key, value: pairs.join(' '), source: 'config.toml' }
}

/** By engine, the settings as they stand in the file. */
function mapEngines(override: SettingsOverride): Record<string, object> {
  const kinds = engineKinds.filter((kind) => override[kind] !== undefined)
  return Object.fromEntries(kinds.map((kind) => [kind, writeModelSettings(kind, override[kind] ?? {})]))
}

/** The fields as they are called in the file. */
function mapPrices<Shown>(override: PriceOverride, show: (nanoUsd: number) => Shown): Record<string, Shown> {
  const shown = Object.entries(priceFields).flatMap(([name, field]) => {
    const nanoUsd = override[field]
    return nanoUsd === undefined ? [] : [[name, show(nanoUsd)]]
  })
  return Object.fromEntries(shown)
}

/** The README's table. */
function settingsAsMarkdown(): string {
  const rows = listSettings().map(
    ({ flag, offFlag, environment, tomlKey: key, allowed, defaultText, help }) =>
      `| \`${flag.split(' ')[0]}\`${offFlag === undefined ? '' : `, \`${offFlag}\``} | \`${environment}\` | \`${key}\` | ${allowed} | ${defaultText} | ${help} |`,
  )
  const head = ['| Flag | Environment | config.toml | Allowed | Default | What it does |', '|---|---|---|---|---|---|']
  return [...head, ...rows, ''].join('\n')
}
