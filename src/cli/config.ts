import type { Command } from 'commander'
import { loadConfig } from '../config/config.ts'
import { enginesInFile, pricesInFile, settingsInForce } from '../config/shown-settings.ts'
import { nanoToDecimal, nanoToUsd } from '../core/money.ts'
import { formatTable } from './format.ts'
import { type Io, printAnswer } from './io.ts'
import { addSettingFlags, configSources, newCommand } from './options.ts'

export function configCommand(io: Io): Command {
  const command = addSettingFlags(newCommand('config', 'print the settings a server started here and now would use'))
  return command.action(() => {
    const config = loadConfig(configSources(command, io))
    const { prices, models } = config
    const rows = settingsInForce(config)
    const answer = {
      ...Object.fromEntries(rows.map(({ key, value, source }) => [key, { value: value ?? null, source }])),
      prices: Object.fromEntries([...prices].map(([id, override]) => [id, pricesInFile(override, nanoToUsd)])),
      models: Object.fromEntries([...models].map(([id, override]) => [id, enginesInFile(override)])),
    }
    const shown = [
      ...rows.map(({ key, value, source }) => ({ key, source, value: String(value ?? '') || '-' })),
      ...[...prices].map(([id, override]) => inFile(`prices."${id}"`, pricesInFile(override, nanoToDecimal))),
      ...[...models].flatMap(([id, override]) =>
        Object.entries(enginesInFile(override)).map(([engine, values]) => inFile(`models."${id}".${engine}`, values)),
      ),
    ]
    printAnswer(command, io, answer, () =>
      formatTable(shown, { SETTING: ({ key }) => key, VALUE: ({ value }) => value, FROM: ({ source }) => source }),
    )
  })
}

/** Returns a row for a setting that is a table of the settings file. */
function inFile(key: string, values: object) {
  const pairs = Object.entries(values).map(([name, value]) => `${name}=${value}`)
  return { key, value: pairs.join(' '), source: 'config.toml' }
}
